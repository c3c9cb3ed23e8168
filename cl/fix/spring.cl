// fix spring: forces on two groups in proportion to the mass.
//   p[0], p[1] the groups' bits, p[2..4], p[5..7] their forces per mass, p[7 + type] the mass
// Adds up mass times position, and mass, of one and of the other.
static inline void spring(Atom *a, const Here *h) {
    const accum mass = h->p[7 + a->type];
    const accum3 x = unwrapped(a, h->box);
    for (uint k = 0; k < 2; k++) {
        if (!(a->mask & (uint)h->p[k])) continue;
        ADD_UP(h, 4 * k, mass * x.x)
        ADD_UP(h, 4 * k + 1, mass * x.y)
        ADD_UP(h, 4 * k + 2, mass * x.z)
        ADD_UP(h, 4 * k + 3, mass)
        a->f += convert_real3(mass * vload3(0, h->p + 2 + 3 * k));
    }
}
