// born/gauss: E = A0 exp(-alpha r) - A1 exp[-beta (r - r0)^2] - shift
// c[0] = A0, c[1] = alpha, c[2] = A1, c[3] = beta, c[4] = r0, c[5] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), dr = r - c[4];
    const realv one = c[0] * exp(-c[1] * r), other = c[2] * exp(-c[3] * dr * dr);
    *energy = one - other - c[5];
    return FMA(c[1], one, -2 * c[3] * dr * other) / r;
}
