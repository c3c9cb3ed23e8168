// buck/mdf: E = [A exp(-r/rho) - C/r^6] f(r), f as in cl/force/taper.cl
// c[0] = inner, c[1] = 1 / (outer - inner), c[2] = A/rho, c[3] = 6 C, c[4] = A, c[5] = C, c[6] = 1/rho
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    const realv repulsion = exp(-c[6] * r);
    *energy = FMA(c[4], repulsion, -c[5] * r6inv);
    return tapered(r, FMA(c[2] * r, repulsion, -c[3] * r6inv) * r2inv, c[0], c[1], energy);
}
