// lj/class2/coul/cut: E = eps [2 (sigma/r)^9 - 3 (sigma/r)^6] - shift, and q q / r, each within its own cutoff
// c[0] = 18 eps sigma^9, c[1] = 18 eps sigma^6, c[2] = 2 eps sigma^9, c[3] = 3 eps sigma^6, c[4] = shift,
// c[5] = cutoff^2 of the first, c[6] = cutoff^2 of the second
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv r3inv = r2inv * sqrt(r2inv);
    const realv r6inv = r3inv * r3inv;
    *energy = rsq < c[5] ? r6inv * FMA(c[2], r3inv, -c[3]) - c[4] : (realv)(0);
    return rsq < c[5] ? r6inv * FMA(c[0], r3inv, -c[1]) * r2inv : (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[6], bare_coulomb(rsq, lack, energy), energy);
}
