// coul/cut: E = scale q q / r
// c[0] = scale
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv rinv = 1 / sqrt(rsq);
    *energy = c[0] * ((1 - lack) * rinv);
    return *energy * (rinv * rinv);
}
