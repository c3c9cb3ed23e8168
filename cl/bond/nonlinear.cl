// nonlinear: E = eps (r - r0)^2 / [lambda^2 - (r - r0)^2]
// c[0] = eps, c[1] = r0, c[2] = lambda^2
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq), off = r - c[1];
    const real left = FMA(-off, off, c[2]);
    *state = BOND_WHOLE;
    *energy = c[0] * off * off / left;
    return r > 0 ? -2 * c[0] * off * c[2] / (left * left) / r : 0; // two atoms on one spot do not know where to go
}
