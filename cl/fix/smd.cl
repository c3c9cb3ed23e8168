// fix smd: forces on two groups in proportion to the mass.
//   p[0], p[1] the groups' bits (the second 0: a point), p[2..4] the force per mass on the one, p[5..7] that on the other, with the other
//   sign, p[7 + type] the mass
static inline void smd(Atom *a, const Here *h) {
    const accum mass = h->p[7 + a->type];
    if (a->mask & (uint)h->p[0]) a->f += convert_real3(mass * (accum3)(h->p[2], h->p[3], h->p[4]));
    if (a->mask & (uint)h->p[1]) a->f -= convert_real3(mass * (accum3)(h->p[5], h->p[6], h->p[7]));
}
