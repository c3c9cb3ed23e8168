// table: in each bin of r^2 the F / r and E are polynomials of the fraction t of the bin
// c[0] = inner^2, c[1] = 1 / width of a bin, c[2] = the last bin, c[3] = the bin of `samples` that is this table's
// first; samples: per bin 4 coefficients of F / r, then 4 of E
#define SAMPLED

#if VW == 1
#define SCATTER(a, p) *(p) = (a)
#define GATHERED(p) (*(p))
#else
#define SCATTER(a, p) JOIN(vstore, VW)(a, 0, p)
#define GATHERED(p) JOIN(vload, VW)(0, p)
#endif

static inline real cubic(const real4 p, const real t) {
    return FMA(t, FMA(t, FMA(t, p.s3, p.s2), p.s1), p.s0);
}

static inline realv pair_eval(const realv rsq, const realv *c, __global const real *samples, realv *energy) {
    const realv x = (rsq - c[0]) * c[1];
    const realv bin = fmin(fmax(floor(x), (realv)(0)), c[2]);
    uint at[VW];
    real t[VW], f[VW], e[VW];
    SCATTER(convert_uintv(c[3]) + convert_uintv(bin), at);
    SCATTER(x - bin, t);
    for (uint k = 0; k < VW; k++) {
        f[k] = cubic(vload4(2 * at[k], samples), t[k]);
        e[k] = cubic(vload4(2 * at[k] + 1, samples), t[k]);
    }
    // Below the table there is no force to tell: let the run notice.
    *energy = x < 0 ? (realv)(NAN) : GATHERED(e);
    return x < 0 ? (realv)(NAN) : GATHERED(f);
}
