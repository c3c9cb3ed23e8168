// lj/cut: E = 4 eps [(sigma/r)^12 - (sigma/r)^6] - E(cutoff) if shifted
// c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6, c[4] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
#ifdef NO_TEMPORARIES
#define r2inv RECIPROCAL(rsq)
#define r6inv (r2inv * r2inv * r2inv)
#else
    const realv r2inv = RECIPROCAL(rsq);
    const realv r6inv = r2inv * r2inv * r2inv;
#endif
    *energy = r6inv * FMA(c[2], r6inv, -c[3]) - c[4];
    return r6inv * FMA(c[0], r6inv, -c[1]) * r2inv;
#undef r2inv
#undef r6inv
}
