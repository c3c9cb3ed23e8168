// lj/cubic: E = 4 eps [(sigma/m)^12 - (sigma/m)^6] + S t - A/6 t^3 with m = min(r, s), t = r - m
// c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6, c[4] = s,
// c[5] = A/2, c[6] = S, c[7] = -A/6
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), m = fmin(r, c[4]);
    const realv minv = 1 / m, t = r - m;
    const realv m2inv = minv * minv, t2 = t * t;
    const realv m6inv = m2inv * m2inv * m2inv;
    *energy = FMA(FMA(c[7], t2, c[6]), t, m6inv * FMA(c[2], m6inv, -c[3]));
    return FMA(c[5], t2, m6inv * FMA(c[0], m6inv, -c[1]) * minv) / r;
}
