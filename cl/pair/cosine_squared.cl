// cosine/squared: E = -eps/2 [1 + cos(pi (r - sigma) / width)] from sigma on, below eps [(sigma/r)^12 - 2 (sigma/r)^6] or nothing, and a constant
// c[0] = 12 eps sigma^12, c[1] = 12 eps sigma^6, c[2] = eps sigma^12, c[3] = 2 eps sigma^6, c[4] = constant,
// c[5] = sigma, c[6] = 1 / width, c[7] = eps / 2, c[8] = pi eps / (2 width)
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv t = (r - c[5]) * c[6];
    *energy = r < c[5] ? FMA(r6inv, FMA(c[2], r6inv, -c[3]), c[4]) : -FMA(c[7], cospi(t), c[7]);
    return r < c[5] ? r6inv * FMA(c[0], r6inv, -c[1]) * r2inv : -c[8] * sinpi(t) / r;
}
