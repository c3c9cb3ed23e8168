// coul/cut: E = scale q q / r
// c[0] = scale
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv force = bare_coulomb(rsq, lack, energy);
    *energy *= c[0];
    return c[0] * force;
}
