// Positions follow a box that has changed: x = p[6..8] + p[0..2] (x - p[3..5]); of a triclinic box p[9..11] are the
// factors xy, xz, yz off the diagonal.
static inline void follow_box(Atom *a, const Here *h) {
#ifndef SINGLE // there boxes do not change
    const accum3 d = a->x - vload3(1, h->p);
    a->x = vload3(2, h->p) + vload3(0, h->p) * d;
#ifdef TRICLINIC
    a->x.x += h->p[9] * d.y + h->p[10] * d.z;
    a->x.y += h->p[11] * d.z;
#endif
#endif
}
