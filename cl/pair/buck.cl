// buck: E = A exp(-r/rho) - C/r^6 - shift
// c[0] = A/rho, c[1] = 6 C, c[2] = A, c[3] = C, c[4] = 1/rho, c[5] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv repulsion = exp(-c[4] * r);
    *energy = FMA(c[2], repulsion, -c[3] * r6inv) - c[5];
    return FMA(c[0] * r, repulsion, -c[1] * r6inv) * r2inv;
}
