// sw by moments, last pass (cl/pair/sw_moments.cl comes before). (cos - cos0)^2 is a polynomial of the unit vectors u_j and u_k, so sums over
// k are products of u_j with the moments s = sum E, V = sum E u, M = sum E u u^T. With c0 = cos0, where k = j is taken out again,
//   S1 = sum E_k (cos - c0) u_k = M u - c0 V - E (1 - c0) u        S2 = S1 . u
//   S0 = sum E_k (cos - c0)^2 = S2 - c0 (u . V - c0 s - E (1 - c0))
// what an atom i does to its neighbour j is p_ij = lambda eps E [(2/r)(S1 - S2 u) + (ln E)' S0 u], and F_i = sum of p_ij - p_ji.
// c[0] = elements; of the pair 1 A eps, 2 B, 3 p, 4 q, 5 sigma, 6 a sigma, 7 gamma sigma, 8 the cutoff of the test; 9 the atom's element, 10 the
// other's; then for each element of k: lambda eps and cos0 of the triplets around the atom, and around the other
#define VECTOR_FORCES
#define MOST_ELEMENTS 2

// The exponents of most files are 4 and 0, for which powers take as long as all else. PoCL 3.1's powr is wrong for eight numbers in double.
static inline realv power(realv s, realv exponent) {
    if (!ANY(exponent != (realv)(0))) return 1;
    if (!ANY(exponent != (realv)(4))) return s * s * (s * s);
    return exp2(exponent * log2(s));
}

// 1 / (r - a sigma), finite where r is a sigma.
static inline realv inverse_gap(realv r, realv end) {
    return 1 / fmin(r - end, (realv)(-1e-10f));
}

static inline realv pair_eval(const realv rsq, const realv *c, const realv *mine, const realv *theirs, realv *energy) {
    const realv rinv = rsqrt(rsq), r = rsq * rinv, inverse = inverse_gap(r, c[6]);
    const realv s = c[5] * rinv, fall = r < c[8] ? c[1] * exp(c[5] * inverse) : (realv)(0);
    const realv repel = c[2] * power(s, c[3]), attract = power(s, c[4]);
    const realv phi = fall * (repel - attract);
    *energy = phi;
    return (fall * (c[3] * repel - c[4] * attract) * rinv + phi * c[5] * inverse * inverse) * rinv;
}

// What an atom with these moments does to its neighbour along u, which is of element `leg` and has E = g, (ln E)' = slope, 2/r = turn: adds
// `sign` times p to f[0..2], and `share` times the energy of the neighbour's triplets to f[3]. t: lambda eps and cos0 of the first element.
static inline void add_leg(const realv *moments, uint elements, realv leg, const realv *t, realv x, realv y, realv z, realv g,
                           realv slope, realv turn, realv sign, realv share, realv *f) {
SHORT_LOOP
    for (uint e = 0; e < MOST_ELEMENTS; e++) {
        if (e >= elements) break;
        const realv *const m = moments + 12 * e;
        const realv strength = t[4 * e] * g, c0 = t[4 * e + 1];
        const realv own = leg == (realv)(e) ? g * (1 - c0) : (realv)(0);
        const realv s1x = FMA(m[4], x, FMA(m[7], y, m[8] * z)) - FMA(c0, m[1], own * x);
        const realv s1y = FMA(m[7], x, FMA(m[5], y, m[9] * z)) - FMA(c0, m[2], own * y);
        const realv s1z = FMA(m[8], x, FMA(m[9], y, m[6] * z)) - FMA(c0, m[3], own * z);
        const realv s2 = FMA(s1x, x, FMA(s1y, y, s1z * z));
        const realv along = FMA(m[1], x, FMA(m[2], y, m[3] * z)) - FMA(c0, m[0], own);
        const realv s0 = FMA(-c0, along, s2);
        const realv across = sign * strength * turn, radial = FMA(sign * strength * slope, s0, -across * s2);
        f[0] += FMA(across, s1x, radial * x);
        f[1] += FMA(across, s1y, radial * y);
        f[2] += FMA(across, s1z, radial * z);
        f[3] = FMA(share * strength, s0, f[3]);
    }
}

static inline void pair_vector(realv dx, realv dy, realv dz, realv rsq, const realv *c, const realv *mine, const realv *theirs,
                               realv *f) {
    const realv rinv = rsqrt(rsq), r = rsq * rinv, inverse = inverse_gap(r, c[6]);
    const realv ux = -dx * rinv, uy = -dy * rinv, uz = -dz * rinv;
    const realv g = r < c[8] ? exp(c[7] * inverse) : (realv)(0), slope = -c[7] * inverse * inverse, turn = 2 * rinv;
    const uint elements = ANY(c[0] > (realv)(1)) ? 2 : 1;
    // Of a triplet's energy each atom has a third. Those around the atom come twice, and half of all this is counted.
    add_leg(mine, elements, c[10], c + 11, ux, uy, uz, g, slope, turn, 1, (realv)(1) / 3, f);
    add_leg(theirs, elements, c[9], c + 13, -ux, -uy, -uz, g, slope, turn, -1, (realv)(2) / 3, f);
}
