// lj96/cut and lj/class2: E = nine/r^9 - six/r^6 - shift
// c[0] = 9 nine, c[1] = 6 six, c[2] = nine, c[3] = six, c[4] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv r3inv = r2inv * sqrt(r2inv);
    const realv r6inv = r3inv * r3inv;
    *energy = r6inv * FMA(c[2], r3inv, -c[3]) - c[4];
    return r6inv * FMA(c[0], r3inv, -c[1]) * r2inv;
}
