// coul/cut/soft: E = lambda^n q q / sqrt(r^2 + a)
// c[0] = lambda^n, c[1] = a = alpha (1 - lambda)^2
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv force = bare_coulomb(rsq + c[1], lack, energy);
    *energy *= c[0];
    return c[0] * force;
}
