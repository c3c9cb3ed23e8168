// zero: no force
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    *state = BOND_WHOLE;
    *energy = 0;
    return 0;
}
