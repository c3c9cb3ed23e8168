// born/coul/dsf and born/coul/wolf: E = A exp((sigma - r)/rho) - C/r^6 + D/r^8 - shift, and damped forces of charges, each within its own cutoff
// c[0] = A/rho, c[1] = 6 C, c[2] = 8 D, c[3] = A, c[4] = C, c[5] = D, c[6] = 1/rho, c[7] = sigma, c[8] = shift,
// c[9] = cutoff^2 of the first, c[10] = cutoff^2 of the second, c[11] to c[15] as of coul/dsf
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv repulsion = exp(c[6] * (c[7] - r));
    *energy = rsq < c[9] ? FMA(c[3], repulsion, r6inv * FMA(c[5], r2inv, -c[4])) - c[8] : (realv)(0);
    return rsq < c[9] ? FMA(c[0] * r, repulsion, r6inv * FMA(c[2], r2inv, -c[1])) * r2inv : (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[10], damped_coulomb(rsq, lack, c + 11, energy), energy);
}
