// lj/mdf and lennard/mdf: E = (A/r^12 - B/r^6) f(r), f as in cl/force/taper.cl
// c[0] = inner, c[1] = 1 / (outer - inner), c[2] = 12 A, c[3] = 6 B, c[4] = A, c[5] = B
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    *energy = r6inv * FMA(c[4], r6inv, -c[5]);
    return tapered(sqrt(rsq), r6inv * FMA(c[2], r6inv, -c[3]) * r2inv, c[0], c[1], energy);
}
