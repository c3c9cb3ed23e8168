// Energies w(cos) E_j E_k of triplets, with the angle at an atom, a function w of it, and a function E of each distance: for the first pass
// of sw and its like, after cl/pair/by_vectors.cl and before their own file, which supplies
//   Leg leg_of(number r, Row e)            of a neighbor at a distance; e is the row of the triplet (i, k, k)
//   Sloped angle(number c, Row e)          w of a triplet at a cosine, and its slope
typedef struct {
    Sloped rise; // E
    Sloped pair; // the energy of a pair
} Leg;

static inline Leg leg_of(number r, Row e);
static inline Sloped angle(number c, Row e);

#if WIDE
ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    real rise[PADDED(SLOTS)], rise_slope[PADDED(SLOTS)], slope[PADDED(SLOTS)], share[PADDED(SLOTS)];
    Near near;
    find_pairs(&near, n, kind, a);
    for (uint k = 0; k < n; k += VW) {
        const Leg leg = leg_of(LOADV(near.distance + k), OWN_ROW(near, k));
        STOREV(leg.rise.value, rise + k);
        STOREV(leg.rise.slope, rise_slope + k);
        STOREV(leg.pair.slope / 2, slope + k);
        STOREV(leg.pair.value / 4, share + k); // half of it is this atom's
    }
    real energy = 0;
    for (uint k = 0; k < n; k++) {
        energy += share[k];
        SLOT(k) = (real4)(slope[k] * LEG(k).xyz, share[k]);
        LEG_VIRIAL(k, SLOT(k).xyz)
    }
    number thirds = 0;
    for (uint p = 0; p < near.pairs; p += VW) {
        const Sloped w = angle(LOADV(near.cosine + p), PAIR_ROW(near, p));
        const number e_j = number_at(rise, near.first + p), e_k = number_at(rise, near.second + p);
        const number third = convert_maskv(p + (uintv)(FROM_0) < (uintv)(near.pairs)) ? w.value * e_j * e_k / 3 : (number)(0);
        thirds += third;
        push_pairs(&near, p, w.value * number_at(rise_slope, near.first + p) * e_k, w.value * e_j * number_at(rise_slope, near.second + p),
                   w.slope * e_j * e_k, third, a);
    }
    return energy + SUM(thirds);
}
#else
#define SCRATCH_RISE(k) SCRATCHED(k, 0)
#define SCRATCH_SLOPE(k) SCRATCHED(k, 1)
ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    real energy = 0;
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const Leg leg = leg_of(u.w, TRIPLET(kind, KIND(j), KIND(j)));
        SCRATCH_RISE(j) = leg.rise.value;
        SCRATCH_SLOPE(j) = leg.rise.slope;
        const real4 p = (real4)(leg.pair.slope / 2 * u.xyz, leg.pair.value / 4);
        energy += p.w;
        SLOT(j) = p;
        LEG_VIRIAL(j, p.xyz)
    }
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const real rise = SCRATCH_RISE(j), rise_slope = SCRATCH_SLOPE(j);
        real4 p = SLOT(j);
        real third = 0;
        for (uint k = 0; k < n; k++) {
            if (k == j) continue;
            const real4 v = LEG(k);
            const real c = dot(u.xyz, v.xyz), other = SCRATCH_RISE(k);
            const Sloped w = angle(c, TRIPLET(kind, KIND(j), KIND(k)));
            third += w.value * other * rise;
            p.xyz += other * (w.value * rise_slope * u.xyz + w.slope * rise / u.w * (v.xyz - c * u.xyz));
            if (k > j) {
                TRIPLET_VIRIAL(j, k, other * (w.value * rise_slope * u.xyz + w.slope * rise / u.w * (v.xyz - c * u.xyz)),
                               rise * (w.value * SCRATCH_SLOPE(k) * v.xyz + w.slope * other / v.w * (u.xyz - c * v.xyz)))
            }
        }
        third /= 3;
        energy += third / 2; // each triplet comes twice
        p.w += third;
        SLOT(j) = p;
    }
    return energy;
}
#endif
