// vashishta, triplets (cl/pair/triplets.cl comes before): B delta^2/(1 + C delta^2) exp(gamma/(r_ij - r0)) exp(gamma/(r_ik - r0)), delta = cos - cos0
// numbers of a triplet: 0 B, 1 C, 2 cos0; of a pair, as the triplet (i, j, j): 3 gamma, 4 r0; others are for pairs
static inline real2 angle(real c, Entry e) {
    const real delta = c - NUMBER_OF(e, 2), y = 1 / FMA(NUMBER_OF(e, 1) * delta, delta, (real)(1));
    const real w = NUMBER_OF(e, 0) * delta * y;
    return (real2)(w * delta, 2 * w * y);
}

static inline real around_atom(uint n, uint kind, Around a) {
    for (uint j = 0; j < n; j++) {
        const Entry e = TRIPLET(kind, KIND(j), KIND(j));
        const real r = LEG(j).w;
        real rise = 0, rise_slope = 0;
        if (r < NUMBER_OF(e, 4)) {
            const real inverse = 1 / (r - NUMBER_OF(e, 4));
            rise = exp(NUMBER_OF(e, 3) * inverse);
            rise_slope = -NUMBER_OF(e, 3) * inverse * inverse * rise;
        }
        SLOT(j) = 0;
        SCRATCH_RISE(j) = rise;
        SCRATCH_SLOPE(j) = rise_slope;
    }
    return add_triplets(n, kind, a);
}
