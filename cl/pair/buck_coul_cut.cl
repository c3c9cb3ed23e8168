// buck/coul/cut: E = A exp(-r/rho) - C/r^6 - shift, and q q / r, each within its own cutoff
// c[0] = A/rho, c[1] = 6 C, c[2] = A, c[3] = C, c[4] = 1/rho, c[5] = shift,
// c[6] = cutoff^2 of the first, c[7] = cutoff^2 of the second
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv repulsion = exp(-c[4] * r);
    *energy = rsq < c[6] ? FMA(c[2], repulsion, -c[3] * r6inv) - c[5] : (realv)(0);
    return rsq < c[6] ? FMA(c[0] * r, repulsion, -c[1] * r6inv) * r2inv : (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[7], bare_coulomb(rsq, lack, energy), energy);
}
