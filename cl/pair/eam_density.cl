// eam, first pass: the density that others make at an atom. Its energy F and F' follow from that.
// c[0] = rows per distance, c[1] = the last row
// c[2] = rows of F per density, c[3] = the last row, c[4] = the density where the table of F ends
// c[5] = where the density's rows begin in `samples`, in eights of numbers
// c[6] = where the rows of F begin; they have its slope, too
static inline void pass_eval(realv dx, realv dy, realv dz, realv rsq, const realv *c, __global const real *samples,
                             realv *added) {
    const realv place = sqrt(rsq) * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
    added[0] = cubic_of(rows_of(samples, 2 * convert_uintv(c[5]) + convert_uintv(row)), p);
}

static inline void pass_end(const real *sums, __global const real *c, __global const real *samples, real *made,
                            real *energy) {
    const real density = sums[0], place = density * c[2];
    const real row = fmin(fmax(floor(place), (real)(0)), c[3]), p = fmin(place - row, (real)(1));
    __global const real *f = samples + 8 * ((uint)c[6] + (uint)row);
    made[0] = FMA(FMA(f[4], p, f[5]), p, f[6]);
    *energy = FMA(FMA(FMA(f[0], p, f[1]), p, f[2]), p, f[3]);
    if (density > c[4]) *energy = FMA(made[0], density - c[4], *energy); // the density may be beyond the table
}
