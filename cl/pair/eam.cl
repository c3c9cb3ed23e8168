// eam, the last pass: E = sum of F(density) of atoms + phi of pairs, with r phi = z. It sees F' of both atoms.
// c[0] = rows per distance, c[1] = the last row, c[2] = a factor of the pair's energy and force
// c[3] = where rows begin in `samples`, in eights of numbers: z, then the slope of the density here that the other atom makes
// c[4] = the same, with the density at the other atom
#define SAMPLED

static inline realv pair_eval(const realv rsq, const realv *c, __global const real *samples, const realv *mine,
                              const realv *theirs, realv *energy) {
    const realv rinv = rsqrt(rsq), place = rsq * rinv * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
    const uintv at = convert_uintv(row);
    const uintv own = 2 * (convert_uintv(c[3]) + at), other = 2 * (convert_uintv(c[4]) + at);
    const Four z = rows_of(samples, own);
    const realv slope = parabola_of(rows_of(samples, own + 1), p); // of the density here
    const realv its_slope = parabola_of(rows_of(samples, other + 1), p);
    const realv phi = cubic_of(z, p) * rinv;
    const realv z_slope = slope_of(z, p) * c[0];
    const realv phi_slope = (z_slope - phi) * rinv;
    *energy = c[2] * phi;
    return -c[2] * FMA(mine[0], slope, FMA(theirs[0], its_slope, phi_slope)) * rinv;
}
