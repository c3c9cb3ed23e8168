// pair_style list: forms of pairs by their number, each within its cutoff (src/potentials/pair/list.rs)
// c[0] = form, c[1] to c[4] = its numbers, c[5] = cutoff^2
static inline real bond_eval(const real rsq, __global const real *c, real *energy, int *state) {
    *state = BOND_WHOLE;
    *energy = 0;
    if (rsq >= c[5]) return 0;
    const real r = sqrt(rsq);
    if (c[0] == 1) {
        const real off = r - c[2];
        *energy = c[1] * off * off;
        return -2 * c[1] * off / r;
    }
    if (c[0] == 2) {
        const real decay = exp(-c[2] * (r - c[3]));
        *energy = c[1] * (1 - decay) * (1 - decay);
        return 2 * c[1] * c[2] * (decay * decay - decay) / r;
    }
    if (c[0] == 3) {
        const real s2 = c[2] * c[2] / rsq, s6 = s2 * s2 * s2;
        *energy = 4 * c[1] * (s6 * s6 - s6);
        return 24 * c[1] * (2 * s6 * s6 - s6) / rsq;
    }
    const real x = r - c[2], y = x - c[3], z = x - c[4];
    *energy = c[1] * x * x * y * z;
    return -c[1] * (2 * x * y * z + x * x * (y + z)) / r;
}
