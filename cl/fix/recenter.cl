// fix recenter: positions are shifted.
//   p[0] bits of the group that is shifted, p[1..3] the shift
static inline void recenter(Atom *a, const Here *h) {
    if (a->mask & (uint)h->p[0]) a->x = drift(a->x, vload3(0, h->p + 1));
}
