// pedone: E = D0 [exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))] + B0/r^12 - shift
// c[0] = 2 D0 alpha, c[1] = D0, c[2] = alpha, c[3] = r0, c[4] = B0, c[5] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv x = exp(c[2] * (c[3] - r)), core = c[4] * r6inv * r6inv;
    *energy = FMA(c[1] * x, x - 2, core) - c[5];
    return FMA(c[0] * r * x, x - 1, 12 * core) * r2inv;
}
