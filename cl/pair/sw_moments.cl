// sw by moments, first pass: around each atom, of its neighbours of each element, the sums of E, E u and E u u^T, with E = exp(gamma sigma/(r -
// a sigma)) and u the unit vector to the neighbour: 10 sums, in places of 12.
// c[0] = gamma sigma, c[1] = a sigma, c[2] = the cutoff of the test, c[3] = the neighbour's element
#define ELEMENTS (PASS_SUMS / 10)

static inline void pass_eval(realv dx, realv dy, realv dz, realv rsq, const realv *c, __global const real *samples,
                             realv *added) {
    const realv rinv = rsqrt(rsq), r = rsq * rinv;
    const realv ux = -dx * rinv, uy = -dy * rinv, uz = -dz * rinv;
    const realv rise = r < c[2] ? exp(c[0] / fmin(r - c[1], (realv)(-1e-10f))) : (realv)(0);
SHORT_LOOP
    for (uint e = 0; e < ELEMENTS; e++) {
        const realv g = c[3] == (realv)(e) ? rise : (realv)(0);
        const realv x = g * ux, y = g * uy, z = g * uz;
        realv *const sums = added + 10 * e;
        sums[0] = g, sums[1] = x, sums[2] = y, sums[3] = z;
        sums[4] = x * ux, sums[5] = y * uy, sums[6] = z * uz, sums[7] = x * uy, sums[8] = x * uz, sums[9] = y * uz;
    }
}

static inline bool pass_end(const real *sums, const real *c, __global const real *samples, real *made,
                            real *energy) {
    for (uint e = 0; e < ELEMENTS; e++)
        for (uint k = 0; k < 10; k++) made[12 * e + k] = sums[10 * e + k];
    *energy = 0;
    return false;
}
