// table: in each step of r F and E are polynomials of the fraction t of the step.
// c[0] = the first length, c[1] = the last, c[2] = 1 / step, c[3] = steps, then per step 4 coefficients of F and 4 of E
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq);
    const real x = clamp((r - c[0]) * c[2], (real)0, c[3]);
    const real bin = fmin(floor(x), c[3] - 1);
    const real t = x - bin;
    __global const real *row = c + 4 + 8 * (uint)bin;
    *state = r < c[0] || r > c[1] ? BOND_BROKEN : BOND_WHOLE;
    *energy = FMA(t, FMA(t, FMA(t, row[7], row[6]), row[5]), row[4]);
    const real force = FMA(t, FMA(t, FMA(t, row[3], row[2]), row[1]), row[0]);
    return r > 0 ? force / r : 0; // two atoms on one spot do not know where to go
}
