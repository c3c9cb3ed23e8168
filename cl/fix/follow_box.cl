// Positions follow a box that has changed: x = p[6..8] + p[0..2] (x - p[3..5]).
static inline void follow_box(Atom *a, const Here *h) {
#ifndef SINGLE // there boxes do not change
    a->x = vload3(2, h->p) + vload3(0, h->p) * (a->x - vload3(1, h->p));
#endif
}
