// class2: E = K2 (r - r0)^2 + K3 (r - r0)^3 + K4 (r - r0)^4
// c[0] = r0, c[1] = K2, c[2] = K3, c[3] = K4
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq), off = r - c[0];
    const real slope = off * FMA(off, FMA(4 * off, c[3], 3 * c[2]), 2 * c[1]);
    *state = BOND_WHOLE;
    *energy = off * off * FMA(off, FMA(off, c[3], c[2]), c[1]);
    return r > 0 ? -slope / r : 0; // two atoms on one spot do not know where to go
}
