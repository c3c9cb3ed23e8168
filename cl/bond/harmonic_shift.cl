// harmonic/shift and harmonic/shift/cut: E = U/(r0 - rc)^2 [(r - r0)^2 - (rc - r0)^2], and nothing beyond an end.
// c[0] = U/(r0 - rc)^2, c[1] = r0, c[2] = (r0 - rc)^2, c[3] = the end, which may be infinite
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq), off = r - c[1];
    *state = BOND_WHOLE;
    if (r > c[3]) {
        *energy = 0;
        return 0;
    }
    *energy = c[0] * FMA(off, off, -c[2]);
    return r > 0 ? -2 * c[0] * off / r : 0; // two atoms on one spot do not know where to go
}
