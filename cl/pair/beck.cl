// beck: E = A exp(-alpha r - beta r^6) - B n^3 (1 + more n) - shift with n = 1 / (r^2 + a^2).
// c[0] = A, c[1] = B, c[2] = a^2, c[3] = more, c[4] = alpha, c[5] = beta, c[6] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), n = 1 / (rsq + c[2]);
    const realv r5 = r * rsq * rsq, n3 = n * n * n;
    const realv repulsion = c[0] * exp(-r * FMA(c[5], r5, c[4]));
    *energy = repulsion - c[1] * n3 * FMA(c[3], n, (realv)(1)) - c[6];
    return repulsion * FMA(6 * c[5], r5, c[4]) / r - 2 * c[1] * n3 * n * FMA(4 * c[3], n, (realv)(3));
}
