// harmonic: E = K (r - r0)^2
// c[0] = K, c[1] = r0
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq);
    const real off = r - c[1];
    *state = BOND_WHOLE;
    *energy = c[0] * off * off;
    return r > 0 ? -2 * c[0] * off / r : 0; // two atoms on one spot do not know where to go
}
