// fix momentum/chunk: velocities without the common motion of a chunk, which is remembered of each atom.
//   p[0] not 0: it is
static inline void momentum_chunk(Atom *a, const Here *h) {
    if (h->p[0] != 0) a->v -= remembered(a, h);
}
