// wf/cut: E = depth (u - 1) (v - 1)^(2 nu) - shift with u = (sigma/r)^(2 mu), v = (cutoff/r)^(2 mu)
// c[0] = sigma^2, c[1] = cutoff^2, c[2] = mu, c[3] = 2 nu, c[4] = depth, c[5] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv u = powr(c[0] * r2inv, c[2]), v = powr(c[1] * r2inv, c[2]);
    // From the cutoff on next to 0: powers of nothing are not everywhere nothing.
    const realv end = fmax(v - 1, (realv)(1e-18f));
    const realv weight = c[4] * powr(end, c[3] - 1);
    *energy = FMA(weight * end, u - 1, -c[5]);
    return 2 * c[2] * weight * FMA(u, end, c[3] * v * (u - 1)) * r2inv;
}
