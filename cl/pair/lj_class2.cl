// lj/class2: E = eps [2 (sigma/r)^9 - 3 (sigma/r)^6] - shift
// c[0] = 18 eps sigma^9, c[1] = 18 eps sigma^6, c[2] = 2 eps sigma^9, c[3] = 3 eps sigma^6, c[4] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv rinv = rsqrt(rsq), r2inv = 1 / rsq;
    const realv r3inv = rinv * r2inv, r6inv = r3inv * r3inv;
    *energy = r6inv * FMA(c[2], r3inv, -c[3]) - c[4];
    return r6inv * FMA(c[0], r3inv, -c[1]) * r2inv;
}
