// fix nve/noforce: positions follow velocities, which stay.
//   p[0] = dt
static inline void nve_noforce(Atom *a, const Here *h) {
    a->x = drift(a->x, h->p[0] * a->v);
}
