// lj/gromacs: E = 4 eps [(sigma/r)^12 - (sigma/r)^6] + A/3 t^3 + B/4 t^4 + C - shift, t = max(r - inner, 0)
// c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6, c[4] = inner,
// c[5] = A, c[6] = B, c[7] = A/3, c[8] = B/4, c[9] = C - shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv t = fmax(r - c[4], (realv)(0));
    const realv t2 = t * t;
    *energy = FMA(t * t2, FMA(c[8], t, c[7]), r6inv * FMA(c[2], r6inv, -c[3])) + c[9];
    return (r6inv * FMA(c[0], r6inv, -c[1]) - r * t2 * FMA(c[6], t, c[5])) * r2inv;
}
