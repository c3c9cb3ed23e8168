// lj/smooth: up to the inner cutoff E = 4 eps [(sigma/r)^12 - (sigma/r)^6] - shift, beyond
// F = a + b t + c t^2 + d t^3 with t = r - inner, and E = E(inner) - the integral of F
// c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6, c[4] = inner,
// c[5] = a, c[6] = b, c[7] = c, c[8] = d, c[9] = E(inner) unshifted, c[10] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv t = r - c[4];
    const realv there = FMA(-t, FMA(t, FMA(t, FMA(t, c[8] / 4, c[7] / 3), c[6] / 2), c[5]), c[9]);
    *energy = (t < 0 ? r6inv * FMA(c[2], r6inv, -c[3]) : there) - c[10];
    const realv force = FMA(t, FMA(t, FMA(t, c[8], c[7]), c[6]), c[5]);
    return (t < 0 ? r6inv * FMA(c[0], r6inv, -c[1]) : r * force) * r2inv;
}
