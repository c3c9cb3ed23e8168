// lj/cut/soft: E = 4 eps lambda^n (1/s^2 - 1/s) - shift with s = alpha (1 - lambda)^2 + (r/sigma)^6
// c[0] = alpha (1 - lambda)^2, c[1] = 1/sigma^6, c[2] = 24 eps lambda^n / sigma^6, c[3] = 4 eps lambda^n, c[4] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r4 = rsq * rsq;
    const realv sinv = 1 / FMA(r4 * rsq, c[1], c[0]);
    *energy = FMA(c[3] * sinv, sinv - 1, -c[4]);
    return c[2] * r4 * sinv * sinv * (2 * sinv - 1);
}
