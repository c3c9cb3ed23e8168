// fix recenter: positions are shifted.
//   p[0], p[1] bits of the group whose centre it is and of that which is shifted, p[2..4] the shift, p[4 + type] mass
// Adds up mass times position, and mass.
static inline void recenter_measure(Atom *a, const Here *h) {
    if (!(a->mask & (uint)h->p[0])) return;
    const accum mass = h->p[4 + a->type];
    const accum3 x = unwrapped(a, h->box);
    ADD_UP(h, 0, mass * x.x)
    ADD_UP(h, 1, mass * x.y)
    ADD_UP(h, 2, mass * x.z)
    ADD_UP(h, 3, mass)
}

static inline void recenter(Atom *a, const Here *h) {
    if (a->mask & (uint)h->p[1]) a->x = drift(a->x, vload3(0, h->p + 2));
}
