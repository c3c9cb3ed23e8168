// F / r and E of a pair of eam by the cubics of its tables, at p within a row of them. Rows have eight numbers: z = r phi, then the slope of a
// density. They begin at `own` in `samples`, in eights, for the density that the other atom makes here, at `other` for what this one makes there.
// mine and theirs are F' of both atoms.
#ifndef EAM_EXACT
#define EAM_EXACT
static inline realv eam_exact(const realv rinv, const realv row, const realv p, const realv *c, __global const real *samples,
                              const realv own, const realv other, const realv mine, const realv theirs, realv *energy) {
    const uintv at = convert_uintv(row);
    const uintv here = 2 * (convert_uintv(own) + at), there = 2 * (convert_uintv(other) + at);
    const Four z = rows_of(samples, here);
    const realv slope = parabola_of(rows_of(samples, here + 1), p), its_slope = parabola_of(rows_of(samples, there + 1), p);
    const realv phi = cubic_of(z, p) * rinv;
    const realv phi_slope = (slope_of(z, p) * c[0] - phi) * rinv;
    *energy = c[2] * phi;
    return -c[2] * FMA(mine, slope, FMA(theirs, its_slope, phi_slope)) * rinv;
}

// The energy alone.
static inline realv eam_energy(const realv rinv, const realv row, const realv p, const realv *c, __global const real *samples,
                               const realv own) {
    return c[2] * cubic_of(rows_of(samples, 2 * (convert_uintv(own) + convert_uintv(row))), p) * rinv;
}
#endif
