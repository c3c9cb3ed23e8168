// tersoff (cl/pair/by_vectors.cl comes before): E = 1/2 sum over ordered pairs of fC [A exp(-l1 r) - b B exp(-l2 r)], b = (1 + (beta
// zeta)^n)^(-1/2n), zeta = sum over others of fC g(cos) exp(l3^m (r_ij - r_ik)^m)
// numbers of a triplet: 0 m, 1 gamma, 2 l3 (to the power m), 3 c^2, 4 d^2, 5 cos0, 6 n, 7 beta, 8 l2, 9 B, 10 R, 11 D, 12 l1, 13 A,
// 14 to 17: bounds of beta zeta from which on b is a series
#define M_OF(e) NUMBER_OF(e, 0)
#define GAMMA_OF(e) NUMBER_OF(e, 1)
#define L3_OF(e) NUMBER_OF(e, 2)
#define C2_OF(e) NUMBER_OF(e, 3)
#define D2_OF(e) NUMBER_OF(e, 4)
#define COS0_OF(e) NUMBER_OF(e, 5)
#define N_OF(e) NUMBER_OF(e, 6)
#define BETA_OF(e) NUMBER_OF(e, 7)
#define L2_OF(e) NUMBER_OF(e, 8)
#define B_OF(e) NUMBER_OF(e, 9)
#define R_OF(e) NUMBER_OF(e, 10)
#define D_OF(e) NUMBER_OF(e, 11)
#define L1_OF(e) NUMBER_OF(e, 12)
#define A_OF(e) NUMBER_OF(e, 13)

#ifndef TERSOFF_MOD
// fC and its slope.
static inline Sloped cutoff_function(number r, Row e) {
    const number x = (r - R_OF(e)) / D_OF(e);
    Sloped cut = {(number)(1), (number)(0)};
    if (EVERY(x <= -1)) return cut;
    const number angle = fmin(fmax(x, (number)(-1)), (number)(1)) * NUMBER(1.5707963267948966);
    cut.value = x >= 1 ? (number)(0) : (1 - sin(angle)) / 2;
    cut.slope = fabs(x) >= 1 ? (number)(0) : -NUMBER(0.78539816339744831) / D_OF(e) * cos(angle);
    return cut;
}

// g and its slope by the cosine.
static inline Sloped angle_function(number c, Row e) {
    const number h = COS0_OF(e) - c, y = 1 / FMA(h, h, (number)(D2_OF(e)));
    // c^2/d^2 - c^2 y would cancel in fp32
    const Sloped g = {GAMMA_OF(e) * (1 + C2_OF(e) / D2_OF(e) * h * h * y), -2 * GAMMA_OF(e) * C2_OF(e) * h * y * y};
    return g;
}

// b and its slope by zeta.
static inline Sloped bond_order(number zeta, Row e) {
    const number t = BETA_OF(e) * zeta, n = N_OF(e), tn = quick_power(t, n);
    Sloped b;
    b.value = quick_power(1 + tn, -1 / (2 * n));
    b.slope = -b.value / (1 + tn) * tn / (2 * zeta);
    if (SOME(t > NUMBER_OF(e, 15))) {
        const number root = rsqrt(t), slope = -BETA_OF(e) / 2 * root / t;
        b.value = t > NUMBER_OF(e, 14) ? root : t > NUMBER_OF(e, 15) ? (1 - 1 / (2 * n * tn)) * root : b.value;
        b.slope = t > NUMBER_OF(e, 14)   ? slope
                  : t > NUMBER_OF(e, 15) ? slope * (1 - (1 + 1 / (2 * n)) / tn)
                                         : b.slope;
    }
    if (SOME(t < NUMBER_OF(e, 16))) {
        b.value = t < NUMBER_OF(e, 17) ? (number)(1) : t < NUMBER_OF(e, 16) ? 1 - tn / (2 * n) : b.value;
        b.slope = t < NUMBER_OF(e, 17) ? (number)(0) : t < NUMBER_OF(e, 16) ? -BETA_OF(e) / 2 * tn / t : b.slope;
    }
    return b;
}
#endif

// exp(l3^m x^m) and its slope, x = r - s.
static inline Sloped rise_function(number x, Row e) {
    const number l3 = L3_OF(e), cube = M_OF(e) == 3 ? x * x : (number)(1), power = l3 * x * cube, most = NUMBER(69.0776);
    const number power_slope = M_OF(e) == 3 ? 3 * l3 * cube : l3;
    Sloped rise = {(number)(1), (number)(0)};
    if (EVERY(l3 == 0)) return rise; // as in most files
    rise.value = exp(fmin(power, most));
    rise.slope = fabs(power) > most ? (number)(0) : power_slope * rise.value;
    rise.value = power > most ? (number)(NUMBER(1e30)) : power < -most ? (number)(0) : rise.value;
    return rise;
}

// What a neighbor k adds to the zeta of the bond j, and the slopes of that by the lengths r of the bond and s of k, and by the cosine c between.
typedef struct {
    number value, by_r, by_s, by_c;
} Term;
static inline Term zeta_term(number r, number s, number c, Row e) {
    const Sloped cut = cutoff_function(s, e), g = angle_function(c, e), rise = rise_function(r - s, e);
    const number both = g.value * rise.value, turn = cut.value * g.value * rise.slope;
    const Term term = {cut.value * both, turn, cut.slope * both - turn, cut.value * g.slope * rise.value};
    return term;
}

#ifndef TERSOFF_ZBL
// Repulsion and attraction of a bond, with fC, and their slopes.
typedef struct {
    Sloped repel, attract;
} Bond;
#endif
static inline Bond bond_functions(number r, Row e) {
    const Sloped cut = cutoff_function(r, e);
    const number most = A_OF(e) * exp(-L1_OF(e) * r), attract = -B_OF(e) * exp(-L2_OF(e) * r);
#ifdef TERSOFF_MOD
    const number repel = most + NUMBER_OF(e, 16);
#else
    const number repel = most;
#endif
    const Bond bond = {{cut.value * repel, cut.slope * repel - cut.value * L1_OF(e) * most},
                       {cut.value * attract, (cut.slope - cut.value * L2_OF(e)) * attract}};
#ifdef TERSOFF_ZBL
    return with_nuclei(bond, r, e);
#else
    return bond;
#endif
}

#if WIDE
ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    real zeta[PADDED(SLOTS)] = {0}, weight[PADDED(SLOTS)], slope[PADDED(SLOTS)], share[PADDED(SLOTS)];
    Term terms[PAIRS / VW], terms_back[PAIRS / VW];
    Near near;
    find_pairs(&near, n, kind, a);
    for (uint p = 0; p < near.pairs; p += VW) {
        // The neighbor k beside the bond j, and j beside the bond k.
        const Row e = PAIR_ROW(near, p), back = PAIR_ROW_BACK(near, p);
        const number r = number_at(near.distance, near.first + p), s = number_at(near.distance, near.second + p), c = LOADV(near.cosine + p);
        const Term z = zeta_term(r, s, c, e), y = zeta_term(s, r, c, back);
        real values[VW], values_back[VW];
        STOREV(z.value, values);
        STOREV(y.value, values_back);
        for (uint t = 0; t < min((uint)VW, near.pairs - p); t++) {
            zeta[near.first[p + t]] += values[t];
            zeta[near.second[p + t]] += values_back[t];
        }
        terms[p / VW] = z;
        terms_back[p / VW] = y;
    }
    for (uint k = 0; k < n; k += VW) {
        const Row own = OWN_ROW(near, k);
        const number length = LOADV(near.distance + k), none = 0;
        const Sloped b = bond_order(LOADV(zeta + k), own);
        const Bond bond = bond_functions(length, own);
        const maskv bound = length < R_OF(own) + D_OF(own); // nuclei repel each other beyond it
        STOREV(bound ? bond.attract.value * b.slope / 2 : none, weight + k);
        STOREV(bound ? FMA(b.value, bond.attract.slope, bond.repel.slope) / 2 : none, slope + k);
        STOREV(bound ? FMA(b.value, bond.attract.value, bond.repel.value) / 4 : none, share + k); // half of the bond's half
    }
    real energy = 0;
    for (uint k = 0; k < n; k++) {
        energy += share[k];
        SLOT(k) = (real4)(slope[k] * LEG(k).xyz, share[k]);
        LEG_VIRIAL(k, SLOT(k).xyz)
    }
    for (uint p = 0; p < near.pairs; p += VW) {
        const Term z = terms[p / VW], y = terms_back[p / VW];
        const number w = number_at(weight, near.first + p), back = number_at(weight, near.second + p);
        push_pairs(&near, p, w * z.by_r + back * y.by_s, w * z.by_s + back * y.by_r, w * z.by_c + back * y.by_c, (number)(0), a);
    }
    return energy;
}
#else
#define SCRATCH_WEIGHT(k) SCRATCHED(k, 0)
ALWAYS_INLINE real bond_alone(uint j, uint n, uint kind, Around a) {
    const real4 u = LEG(j);
    const Row own = TRIPLET(kind, KIND(j), KIND(j));
    real4 p = 0;
    real weight = 0;
    if (u.w < R_OF(own) + D_OF(own)) {
        real zeta = 0;
        for (uint k = 0; k < n; k++) {
            if (k == j) continue;
            const real4 v = LEG(k);
            zeta += zeta_term(u.w, v.w, dot(u.xyz, v.xyz), TRIPLET(kind, KIND(j), KIND(k))).value;
        }
        const Sloped b = bond_order(zeta, own);
        const Bond bond = bond_functions(u.w, own);
        weight = bond.attract.value * b.slope / 2;
        // Half of the bond's half is counted at either atom.
        p = (real4)(FMA(b.value, bond.attract.slope, bond.repel.slope) / 2 * u.xyz,
                    FMA(b.value, bond.attract.value, bond.repel.value) / 4);
        LEG_VIRIAL(j, p.xyz)
    }
    SLOT(j) = p;
    SCRATCH_WEIGHT(j) = weight;
    return p.w;
}
ALWAYS_INLINE void bond_beside_others(uint j, uint n, uint kind, Around a) {
    const real4 u = LEG(j);
    const real weight = SCRATCH_WEIGHT(j);
    real4 p = SLOT(j);
    for (uint k = 0; k < n; k++) {
        if (k == j) continue;
        const real4 v = LEG(k);
        const real c = dot(u.xyz, v.xyz), other = SCRATCH_WEIGHT(k);
        // As the bond, with k beside it, and beside the bond k.
        const Term z = zeta_term(u.w, v.w, c, TRIPLET(kind, KIND(j), KIND(k)));
        const Term y = zeta_term(v.w, u.w, c, TRIPLET(kind, KIND(k), KIND(j)));
        const real along = weight * z.by_r + other * y.by_s, turn = (weight * z.by_c + other * y.by_c) / u.w;
        p.xyz += along * u.xyz + turn * (v.xyz - c * u.xyz);
        TRIPLET_VIRIAL(j, k, weight * (z.by_r * u.xyz + z.by_c / u.w * (v.xyz - c * u.xyz)),
                       weight * (z.by_s * v.xyz + z.by_c / v.w * (u.xyz - c * v.xyz)))
    }
    SLOT(j) = p;
}
ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    real energy = 0;
    for (uint j = 0; j < n; j++) energy += bond_alone(j, n, kind, a);
    for (uint j = 0; j < n; j++) bond_beside_others(j, n, kind, a);
    return energy;
}
#endif
