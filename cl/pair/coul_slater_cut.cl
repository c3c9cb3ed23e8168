// coul/slater/cut: E = scale q q [1 - (1 + x) exp(-2 x)] / r with x = r / lambda
// c[0] = scale, c[1] = 1 / lambda
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), x = c[1] * r;
    const realv cloud = exp(-2 * x), bare = (1 - lack) * c[0] / r;
    *energy = bare * (1 - (1 + x) * cloud);
    return bare * (1 - FMA(2 * x, 1 + x, (realv)(1)) * cloud) / rsq;
}
