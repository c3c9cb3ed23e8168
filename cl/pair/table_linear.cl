// table linear and lookup: in each bin of r^2 the F / r and E are linear in the fraction t of the bin, or constant
// c[0] = inner^2, c[1] = 1 / width of a bin, c[2] = the last bin
// c[3] = where rows begin in `samples`, in eights of numbers: per bin F / r and how it changes, then E and how it does
#define SAMPLED

static inline realv pair_eval(const realv rsq, const realv *c, __global const real *samples, realv *energy) {
    const realv x = (rsq - c[0]) * c[1];
    const realv bin = fmin(fmax(floor(x), (realv)(0)), c[2]), t = x - bin;
    const Four row = rows_of(samples, 2 * convert_uintv(c[3]) + convert_uintv(bin));
    // Below the table there is no force to tell: let the run notice.
    *energy = x < 0 ? (realv)(NAN) : FMA(t, row.d, row.c);
    return x < 0 ? (realv)(NAN) : FMA(t, row.b, row.a);
}
