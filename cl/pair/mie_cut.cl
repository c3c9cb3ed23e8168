// mie/cut: E = C eps [(sigma/r)^R - (sigma/r)^A] - shift
// c[0] = R C eps sigma^R, c[1] = A C eps sigma^A, c[2] = C eps sigma^R, c[3] = C eps sigma^A, c[4] = R, c[5] = A,
// c[6] = shift

// x^(n/2). With one kind of pairs n is a constant: whole exponents become products.
#if PAIR_KINDS == 1
static inline realv half_power(realv x, const realv exponents) {
#if VW == 1
    const real n = exponents;
#else
    const real n = exponents.s0;
#endif
    if (n != floor(n) || n > 64) return powr(x, exponents / 2);
    const uint whole = (uint)n;
    realv result = whole & 1 ? sqrt(x) : (realv)(1);
    for (uint k = whole / 2; k > 0; k >>= 1, x *= x) {
        if (k & 1) result *= x;
    }
    return result;
}
#else
#define half_power(x, n) powr(x, (n) / 2)
#endif

static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv up = half_power(r2inv, c[4]), down = half_power(r2inv, c[5]);
    *energy = FMA(c[2], up, -c[3] * down) - c[6];
    return FMA(c[0], up, -c[1] * down) * r2inv;
}
