// yukawa/colloid: E = A/kappa exp(-kappa (r - d)) - shift
// c[0] = A, c[1] = kappa, c[2] = d, the sum of both radii, c[3] = shift, c[4] = 1/kappa
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv f = c[0] * exp(-c[1] * (r - c[2]));
    *energy = FMA(f, c[4], -c[3]);
    return f / r;
}
