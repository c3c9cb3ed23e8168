// lepton: E = a formula of the script of r - r0, less its value at r0 where the script wants that
// Before it stand the functions of the formulas (src/potentials/lepton.rs), which read their coefficients from c[2] on.
// c[0] = what is taken away, c[1] = which formula
#define LEPTON_OTHER(k, name) if (c[1] == k) f = name(rsq, c, &e);

static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    real e, f = 0;
    if (c[1] == 0) f = LEPTON_FIRST(rsq, c, &e);
    LEPTON_OTHERS
    *state = BOND_WHOLE;
    *energy = e - c[0];
    return rsq > 0 ? f : 0; // two atoms on one spot do not know where to go
}
#undef LEPTON_OTHER
