// fix oneway: at every so many steps a velocity against a direction is turned round.
//   p[0] number of steps, p[1] axis, p[2] 1 or -1 for the direction along it
static inline void oneway(Atom *a, const Here *h) {
    if (h->step % (long)h->p[0] != 0) return;
    const accum3 along = h->p[2] * along_axis((int)h->p[1]);
    const accum against = min(dot(a->v, along), (accum)0);
    a->v -= 2 * against * along;
}
