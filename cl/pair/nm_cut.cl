// nm/cut: E = E0/(n - m) [m (r0/r)^n - n (r0/r)^m] - shift
// c[0] = n m E0/(n - m), c[1] = m E0/(n - m), c[2] = n E0/(n - m), c[3] = r0, c[4] = n, c[5] = m, c[6] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv s = c[3] * rsqrt(rsq);
    const realv up = powr(s, c[4]), down = powr(s, c[5]);
    *energy = FMA(c[1], up, -c[2] * down) - c[6];
    return c[0] * (up - down) / rsq;
}
