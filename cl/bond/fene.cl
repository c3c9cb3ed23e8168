// fene: E = -K R0^2 / 2 ln(1 - (r/R0)^2) + 4 eps [(sigma/r)^12 - (sigma/r)^6] + eps, the last for r < 2^(1/6) sigma
// c[0] = K, c[1] = 1/R0^2, c[2] = -K R0^2 / 2, c[3] = eps, c[4] = sigma^2, c[5] = 2^(1/3) sigma^2
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real left = FMA(-rsq, c[1], (real)1);
    const real least = 1 / (real)10;
    *state = left < least ? (left <= -3 ? BOND_BROKEN : BOND_LONG) : BOND_WHOLE;
    const real kept = fmax(left, least);
    real f = -c[0] / kept;
    *energy = c[2] * log(kept);
    if (rsq < c[5]) {
        const real s2 = c[4] / rsq;
        const real s6 = s2 * s2 * s2;
        f += 48 * c[3] * s6 * (s6 - (real)0.5f) / rsq;
        *energy += 4 * c[3] * s6 * (s6 - 1) + c[3];
    }
    return f;
}
