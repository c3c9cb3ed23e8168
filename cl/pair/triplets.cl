// Energies w(cos) E_j E_k of triplets, with the angle at an atom, a function w of it, and a function E of each distance: for the first pass of sw and its like,
// before their own file, which supplies
//   real2 angle(real c, Entry e)      w of a triplet at a cosine, and its slope
// and calls add_triplets, when SCRATCH_RISE(k) is E of each neighbour, SCRATCH_SLOPE(k) its slope, and SLOT(k) what pairs have left.
#define SCRATCH_RISE(k) SCRATCHED(k, 0)
#define SCRATCH_SLOPE(k) SCRATCHED(k, 1)

static inline real2 angle(real c, Entry e);

// Adds to the slots; returns the part of the energy that is counted at the atom, a third of each triplet.
static inline real add_triplets(uint n, uint kind, Around a) {
    real energy = 0;
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const real rise = SCRATCH_RISE(j), rise_slope = SCRATCH_SLOPE(j);
        real4 p = SLOT(j);
        real third = 0;
        for (uint k = 0; k < n; k++) {
            if (k == j) continue;
            const real4 v = LEG(k);
            const real c = dot(u.xyz, v.xyz);
            const real2 w = angle(c, TRIPLET(kind, KIND(j), KIND(k)));
            const real2 other = w * SCRATCH_RISE(k); // with the rise along j it is the energy, and its slope by the cosine
            third += other.x * rise;
            const real3 push = other.x * rise_slope * u.xyz + other.y * rise / u.w * (v.xyz - c * u.xyz);
            p.xyz += push;
#if VIRIALS
            const real3 pull = rise * (w.x * SCRATCH_SLOPE(k) * v.xyz + w.y * SCRATCH_RISE(k) / v.w * (u.xyz - c * v.xyz));
            if (k > j) TRIPLET_VIRIAL(j, k, push, pull)
#endif
        }
        third /= 3;
        energy += third / 2; // each triplet comes twice
        p.w += third;
        SLOT(j) = p;
    }
    return energy;
}
