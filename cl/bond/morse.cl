// morse: E = D [1 - exp(-alpha (r - r0))]^2
// c[0] = D, c[1] = alpha, c[2] = r0
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    const real r = sqrt(rsq);
    const real decay = exp(-c[1] * (r - c[2])), off = 1 - decay;
    *state = BOND_WHOLE;
    *energy = c[0] * off * off;
    return r > 0 ? -2 * c[0] * c[1] * off * decay / r : 0; // two atoms on one spot do not know where to go
}
