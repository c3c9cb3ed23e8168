// The energy F of an atom at a density, and F', from tables: for first passes of eam and its like.
// c[2] = rows of F per density, c[3] = the last row, c[4] = the density where they begin
// c[5] and c[6] = the densities below and above which F goes on as a line
// c[9] = where the rows of F begin in `samples`, in eights of numbers; they have its slope, too
static inline real embedded(real density, const real *c, __global const real *samples, real *slope) {
    const real within = fmax(density, c[5]), place = (within - c[4]) * c[2];
    const real row = fmin(fmax(floor(place), (real)(0)), c[3]), p = fmin(place - row, (real)(1));
    __global const real *f = samples + 8 * ((uint)c[9] + (uint)row);
    *slope = FMA(FMA(f[4], p, f[5]), p, f[6]);
    const real energy = FMA(FMA(FMA(f[0], p, f[1]), p, f[2]), p, f[3]);
    return FMA(*slope, fmax(density - c[6], (real)(0)) + (density - within), energy);
}
