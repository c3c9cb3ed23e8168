// sw (Stillinger-Weber): E = sum over pairs of A eps [B (sigma/r)^p - (sigma/r)^q] exp(sigma/(r - a sigma)) + sum over triplets of
// lambda eps (cos - cos0)^2 exp(gamma sigma/(r_ij - a sigma)) exp(gamma sigma/(r_ik - a sigma))
// (cl/pair/triplets.cl comes before)
// numbers of a triplet: 0 lambda eps, 1 cos0; of a pair, as the triplet (i, j, j): 2 A eps, 3 B, 4 p, 5 q, 6 sigma, 7 a sigma, 8 gamma sigma,
// 9 the cutoff of the test; of sw/mod: 10 delta1, 11 delta2. There delta = cos - cos0 counts fC times, with fC from 1 at delta1 to 0 at delta2.

// The exponents of most files are 4 and 0, for which powr takes as long as all else.
static inline real power(real s, real exponent) {
    if (exponent == 0) return 1;
    if (exponent == 4) return s * s * (s * s);
    return powr(s, exponent);
}

#if WIDTH > 10
static inline real counted(real delta, Entry e) {
    const real place = (fabs(delta) - NUMBER_OF(e, 10)) / (NUMBER_OF(e, 11) - NUMBER_OF(e, 10));
    if (place <= 0) return delta;
    return place < 1 ? delta * (1 + cos(NUMBER(3.1415926535897932) * place)) / 2 : 0;
}
#else
#define counted(delta, e) (delta)
#endif

static inline real2 angle(real c, Entry e) {
    const real lack = counted(c - NUMBER_OF(e, 1), e), w = NUMBER_OF(e, 0) * lack;
    return (real2)(w * lack, 2 * w);
}

static inline real around_atom(uint n, uint kind, Around a) {
    real energy = 0;
    for (uint j = 0; j < n; j++) {
        const Entry e = TRIPLET(kind, KIND(j), KIND(j));
        const real4 u = LEG(j);
        real4 p = 0;
        real rise = 0, rise_slope = 0;
        if (u.w < NUMBER_OF(e, 9)) {
            const real inverse = 1 / (u.w - NUMBER_OF(e, 7));
            rise = exp(NUMBER_OF(e, 8) * inverse);
            rise_slope = -NUMBER_OF(e, 8) * inverse * inverse * rise;
            const real s = NUMBER_OF(e, 6) / u.w, fall = NUMBER_OF(e, 2) * exp(NUMBER_OF(e, 6) * inverse);
            const real repel = NUMBER_OF(e, 3) * power(s, NUMBER_OF(e, 4)), attract = power(s, NUMBER_OF(e, 5));
            const real pair = fall * (repel - attract);
            const real slope = fall * (NUMBER_OF(e, 5) * attract - NUMBER_OF(e, 4) * repel) / u.w -
                               pair * NUMBER_OF(e, 6) * inverse * inverse;
            energy += pair / 4;
            p = (real4)(slope / 2 * u.xyz, pair / 4); // half of it is this atom's
            LEG_VIRIAL(j, p.xyz)
        }
        SLOT(j) = p;
        SCRATCH_RISE(j) = rise;
        SCRATCH_SLOPE(j) = rise_slope;
    }
    return energy + add_triplets(n, kind, a);
}
