// zero: no force
#define BOND_COEFFICIENTS 1
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    *state = BOND_WHOLE;
    *energy = 0;
    return 0;
}
