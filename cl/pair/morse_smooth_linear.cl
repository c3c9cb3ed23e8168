// morse/smooth/linear: E = D [exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))] + F r - constant
// c[0] = 2 D alpha, c[1] = D, c[2] = alpha, c[3] = r0, c[4] = F, the force of morse at the cutoff, c[5] = constant
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv x = exp(c[2] * (c[3] - r));
    *energy = FMA(c[1] * x, x - 2, FMA(c[4], r, -c[5]));
    return FMA(c[0] * x, x - 1, -c[4]) / r;
}
