// table spline: in each bin of r^2 the F / r and E are cubic polynomials of the fraction t of the bin
// c[0] = inner^2, c[1] = 1 / width of a bin, c[2] = the last bin
// c[3] = where rows begin in `samples`, in eights of numbers: per bin 4 coefficients of F / r, then 4 of E
#define SAMPLED

static inline realv pair_eval(const realv rsq, const realv *c, __global const real *samples, realv *energy) {
    const realv x = (rsq - c[0]) * c[1];
    const realv bin = fmin(fmax(floor(x), (realv)(0)), c[2]), t = x - bin;
    const uintv at = 2 * (convert_uintv(c[3]) + convert_uintv(bin));
    const Four f = rows_of(samples, at), e = rows_of(samples, at + 1);
    // Below the table there is no force to tell: let the run notice.
    *energy = x < 0 ? (realv)(NAN) : FMA(t, FMA(t, FMA(t, e.d, e.c), e.b), e.a);
    return x < 0 ? (realv)(NAN) : FMA(t, FMA(t, FMA(t, f.d, f.c), f.b), f.a);
}
