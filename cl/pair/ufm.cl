// ufm: E = -eps ln[1 - exp(-r^2/sigma^2)] - shift
// c[0] = 2 eps / sigma^2, c[1] = eps, c[2] = 1 / sigma^2, c[3] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv x = exp(-c[2] * rsq);
    *energy = -c[1] * log(1 - x) - c[3];
    return c[0] * x / (1 - x);
}
