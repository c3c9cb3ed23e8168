// lj96/cut: E = 4 eps [(sigma/r)^9 - (sigma/r)^6] - shift
// c[0] = 36 eps sigma^9, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^9, c[3] = 4 eps sigma^6, c[4] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv r3inv = r2inv * sqrt(r2inv);
    const realv r6inv = r3inv * r3inv;
    *energy = r6inv * FMA(c[2], r3inv, -c[3]) - c[4];
    return r6inv * FMA(c[0], r3inv, -c[1]) * r2inv;
}
