// coul/debye: E = scale q q exp(-kappa r) / r
// c[0] = scale, c[1] = kappa
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv force = screened_coulomb(rsq, lack, c[1], energy);
    *energy *= c[0];
    return c[0] * force;
}
