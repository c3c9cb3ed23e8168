// lj/expand: E = 4 eps [(sigma/s)^12 - (sigma/s)^6] - shift with s = r - delta
// c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6, c[4] = delta,
// c[5] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv sinv = 1 / (r - c[4]);
    const realv s2inv = sinv * sinv;
    const realv s6inv = s2inv * s2inv * s2inv;
    *energy = s6inv * FMA(c[2], s6inv, -c[3]) - c[5];
    return s6inv * FMA(c[0], s6inv, -c[1]) * sinv / r;
}
