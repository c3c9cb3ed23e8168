// lj/smooth/linear: E = L(r) - L(cutoff) - (r - cutoff) L'(cutoff) - shift, L = 4 eps [(sigma/r)^12 - (sigma/r)^6]
// c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6,
// c[4] = -L'(cutoff), c[5] = L(cutoff) - cutoff L'(cutoff) + shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    *energy = FMA(c[4], r, r6inv * FMA(c[2], r6inv, -c[3])) - c[5];
    return (r6inv * FMA(c[0], r6inv, -c[1]) - r * c[4]) * r2inv;
}
