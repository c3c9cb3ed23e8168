// coul/debye: E = scale q q exp(-kappa r) / r
// c[0] = scale, c[1] = kappa
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv rinv = 1 / r;
    *energy = c[0] * ((1 - lack) * exp(-c[1] * r) * rinv);
    return *energy * (c[1] + rinv) * rinv;
}
