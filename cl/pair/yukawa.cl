// yukawa: E = A exp(-kappa r)/r - shift
// c[0] = A, c[1] = kappa, c[2] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv rinv = 1 / r;
    const realv e = c[0] * exp(-c[1] * r) * rinv;
    *energy = e - c[2];
    return e * (c[1] + rinv) * rinv;
}
