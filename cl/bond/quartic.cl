// quartic: E = K (r - rc)^2 (r - rc - b1) (r - rc - b2) + U0 + 4 [1/r^12 - 1/r^6] + 1, the last two terms for r < 2^(1/6); none beyond rc
// c[0] = K, c[1] = b1, c[2] = b2, c[3] = rc, c[4] = U0
#define SUBTRACTS_PAIRS
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq), x = r - c[3], a = x - c[1], b = x - c[2];
    *energy = 0;
    *state = x > 0 ? BOND_SNAPPED : BOND_WHOLE;
    if (x > 0) return 0;
    real f = -c[0] / r * (x * x * (a + b) + 2 * x * a * b);
    *energy = c[0] * x * x * a * b + c[4];
    if (rsq < (real)NUMBER(1.2599210498948732)) {
        const real s2 = 1 / rsq, s6 = s2 * s2 * s2;
        f += 48 * s6 * (s6 - (real)0.5f) * s2;
        *energy += 4 * s6 * (s6 - 1) + 1;
    }
    return f;
}
