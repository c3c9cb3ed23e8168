// gromos: E = K (r^2 - r0^2)^2
// c[0] = K, c[1] = r0^2
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real off = rsq - c[1];
    *state = BOND_WHOLE;
    *energy = c[0] * off * off;
    return -4 * c[0] * off;
}
