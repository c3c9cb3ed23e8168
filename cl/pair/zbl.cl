// zbl: E = sum of four k exp(-b r)/r + A/3 t^3 + B/4 t^4 + C - shift, t = max(r - inner, 0)
// c[0] = k, c[1] = b of the first term, ... c[7], c[8] = inner, c[9] = A, c[10] = B, c[11] = A/3, c[12] = B/4, c[13] = C - shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv rinv = rsqrt(rsq), r = rsq * rinv;
    realv sum = 0, slope = 0;
    for (uint k = 0; k < 8; k += 2) {
        const realv part = c[k] * exp(-c[k + 1] * r);
        sum += part;
        slope = FMA(part, c[k + 1], slope);
    }
    const realv t = fmax(r - c[8], (realv)(0)), t2 = t * t;
    *energy = FMA(t * t2, FMA(c[12], t, c[11]), sum * rinv) + c[13];
    return (FMA(sum, rinv, slope) * rinv - t2 * FMA(c[10], t, c[9])) * rinv;
}
