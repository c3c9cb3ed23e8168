// tersoff: E = 1/2 sum over ordered pairs of fC [A exp(-l1 r) - b B exp(-l2 r)], b = (1 + (beta zeta)^n)^(-1/2n), zeta = sum over others of
// fC g(cos) exp(l3^m (r_ij - r_ik)^m)
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
#define SCRATCH_WEIGHT(k) SCRATCHED(k, 0)
// On CPUs, whose atoms share lists, the formulas take VW neighbors at once, or pairs of these.
#define WIDE (CLUSTER > 1 && SLOTS <= 32)
#if WIDE
typedef realv number;
#define ANY(condition) any(condition)
#define ALL(condition) all(condition)
#else
typedef real number;
#define ANY(condition) (condition)
#define ALL(condition) (condition)
#endif
#if TRIPLET_KINDS == 1
typedef uint Entry;
#elif !WIDE
typedef __global const real *Entry;
#else
// Where the numbers of VW triplets begin in the table.
typedef struct {
    __global const real *triplets;
    const uint *rows;
} Entry;
static inline number number_of(Entry e, uint k) {
    real numbers[VW];
    for (uint t = 0; t < VW; t++) numbers[t] = e.triplets[e.rows[t] + k];
    return LOADV(numbers);
}
#undef NUMBER_OF
#define NUMBER_OF(e, k) number_of(e, k)
#endif

// fC and its slope.
typedef struct {
    number value, slope;
} Cut;
static inline Cut cutoff_function(number r, Entry e) {
    const number x = (r - R_OF(e)) / D_OF(e);
    Cut cut = {(number)(1), (number)(0)};
    if (ALL(x <= -1)) return cut;
    const number angle = fmin(fmax(x, (number)(-1)), (number)(1)) * NUMBER(1.5707963267948966);
    cut.value = x >= 1 ? (number)(0) : (1 - sin(angle)) / 2;
    cut.slope = fabs(x) >= 1 ? (number)(0) : -NUMBER(0.78539816339744831) / D_OF(e) * cos(angle);
    return cut;
}

// What a neighbor k adds to the zeta of the bond j, and the slopes of that by the lengths r of the bond and s of k, and by the cosine c between.
typedef struct {
    number value, by_r, by_s, by_c;
} Term;
// g and its slope.
static inline Cut angle_function(number c, Entry e) {
    const number h = COS0_OF(e) - c, y = 1 / FMA(h, h, (number)(D2_OF(e)));
    // c^2/d^2 - c^2 y would cancel in fp32
    const Cut g = {GAMMA_OF(e) * (1 + C2_OF(e) / D2_OF(e) * h * h * y), -2 * GAMMA_OF(e) * C2_OF(e) * h * y * y};
    return g;
}
// exp(l3^m x^m) and its slope, x = r - s.
static inline Cut rise_function(number x, Entry e) {
    const number l3 = L3_OF(e), cube = M_OF(e) == 3 ? x * x : (number)(1), power = l3 * x * cube, most = NUMBER(69.0776);
    const number power_slope = M_OF(e) == 3 ? 3 * l3 * cube : l3;
    Cut rise;
    rise.value = exp(fmin(power, most));
    rise.slope = fabs(power) > most ? (number)(0) : power_slope * rise.value;
    rise.value = power > most ? (number)(NUMBER(1e30)) : power < -most ? (number)(0) : rise.value;
    return rise;
}
static inline Term zeta_term(Cut cut, Cut g, Cut rise) {
    const number both = g.value * rise.value, turn = cut.value * g.value * rise.slope;
    const Term term = {cut.value * both, turn, cut.slope * both - turn, cut.value * g.slope * rise.value};
    return term;
}

// Of numbers near 1, or where digits do not matter; powr takes several times as long, and PoCL 3.1's is wrong for eight numbers in double.
static inline number power(number x, number exponent) {
    return exp2(exponent * log2(x));
}

// b and its slope by zeta.
static inline Cut bond_order(number zeta, Entry e) {
    const number t = BETA_OF(e) * zeta, n = N_OF(e), tn = power(t, n);
    Cut b;
    b.value = power(1 + tn, -1 / (2 * n));
    b.slope = -b.value / (1 + tn) * tn / (2 * zeta);
    if (ANY(t > NUMBER_OF(e, 15))) {
        const number root = rsqrt(t), slope = -BETA_OF(e) / 2 * root / t;
        b.value = t > NUMBER_OF(e, 14) ? root : t > NUMBER_OF(e, 15) ? (1 - 1 / (2 * n * tn)) * root : b.value;
        b.slope = t > NUMBER_OF(e, 14)   ? slope
                  : t > NUMBER_OF(e, 15) ? slope * (1 - (1 + 1 / (2 * n)) / tn)
                                         : b.slope;
    }
    if (ANY(t < NUMBER_OF(e, 16))) {
        b.value = t < NUMBER_OF(e, 17) ? (number)(1) : t < NUMBER_OF(e, 16) ? 1 - tn / (2 * n) : b.value;
        b.slope = t < NUMBER_OF(e, 17) ? (number)(0) : t < NUMBER_OF(e, 16) ? -BETA_OF(e) / 2 * tn / t : b.slope;
    }
    return b;
}

// A bond's part of the energy, with b; its slope by the length of the bond; and what the slope by zeta is.
typedef struct {
    number energy, slope, weight;
} Bond;
static inline Bond bond_of(number r, Cut cut, number zeta, Entry e) {
    const Cut b = bond_order(zeta, e);
    const number repel = A_OF(e) * exp(-L1_OF(e) * r), attract = -B_OF(e) * exp(-L2_OF(e) * r);
    const number sum = repel + b.value * attract;
    const Bond bond = {cut.value * sum,
                       cut.slope * sum - cut.value * (L1_OF(e) * repel + L2_OF(e) * b.value * attract),
                       cut.value * attract * b.slope / 2};
    return bond;
}


#if WIDE
#define PADDED(n) (((n) + VW - 1) / VW * VW)
#define PAIRS PADDED(SLOTS * (SLOTS - 1) / 2)
#if TRIPLET_KINDS == 1
#define KEEP_ROW(row, j, k)
#define ENTRY_AT(p) 0
#else
#define KEEP_ROW(row, j, k) row = TRIPLET(kind, KIND(j), KIND(k)) - a.triplets;
#define ENTRY_AT(p) (Entry){a.triplets, p}
#endif
// Numbers of VW of the neighbors `at`.
static inline number number_at(const real *numbers, const uint *at) {
    real values[VW];
SHORT_LOOP
    for (uint t = 0; t < VW; t++) values[t] = numbers[at[t]];
    return LOADV(values);
}

static inline real around_atom(uint n, uint kind, Around a) {
    real r[PADDED(SLOTS)], zeta[PADDED(SLOTS)], weight[PADDED(SLOTS)], slope[PADDED(SLOTS)], share[PADDED(SLOTS)];
    real cosine[PAIRS];
    uint first[PAIRS], second[PAIRS], bond_rows[PADDED(SLOTS)] = {0}, rows[PAIRS], rows_back[PAIRS];
    Term terms[PAIRS / VW], terms_back[PAIRS / VW];
    uint pairs = 0;
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        r[j] = u.w;
        zeta[j] = 0;
        KEEP_ROW(bond_rows[j], j, j)
        for (uint k = j + 1; k < n; k++, pairs++) {
            cosine[pairs] = dot(u.xyz, LEG(k).xyz);
            first[pairs] = j, second[pairs] = k;
            KEEP_ROW(rows[pairs], j, k)
            KEEP_ROW(rows_back[pairs], k, j)
        }
    }
    for (uint k = n; k < PADDED(n); k++) r[k] = r[0], zeta[k] = 0;
    for (uint p = pairs; p < PADDED(pairs); p++) cosine[p] = 0, first[p] = second[p] = rows[p] = rows_back[p] = 0;
    for (uint p = 0; p < pairs; p += VW) {
        // The neighbor k = `second` beside the bond j = `first`, and j beside the bond k.
        const Entry e = ENTRY_AT(rows + p), back = ENTRY_AT(rows_back + p);
        const number r_j = number_at(r, first + p), r_k = number_at(r, second + p), c = LOADV(cosine + p);
        const Term z = zeta_term(cutoff_function(r_k, e), angle_function(c, e), rise_function(r_j - r_k, e));
        const Term y = zeta_term(cutoff_function(r_j, back), angle_function(c, back), rise_function(r_k - r_j, back));
        real values[VW], values_back[VW];
        STOREV(z.value, values);
        STOREV(y.value, values_back);
        for (uint t = 0; t < min((uint)VW, pairs - p); t++) {
            zeta[first[p + t]] += values[t];
            zeta[second[p + t]] += values_back[t];
        }
        terms[p / VW] = z;
        terms_back[p / VW] = y;
    }
    for (uint k = 0; k < n; k += VW) {
        const Entry own = ENTRY_AT(bond_rows + k);
        const number length = LOADV(r + k);
        const Bond bond = bond_of(length, cutoff_function(length, own), LOADV(zeta + k), own);
        STOREV(bond.weight, weight + k);
        STOREV(bond.slope / 2, slope + k);
        STOREV(bond.energy / 4, share + k); // half of the bond's half
    }
    real energy = 0;
    for (uint k = 0; k < n; k++) {
        energy += share[k];
        SLOT(k) = (real4)(slope[k] * LEG(k).xyz, share[k]);
        LEG_VIRIAL(k, SLOT(k).xyz)
    }
    for (uint p = 0; p < pairs; p += VW) {
        const Term z = terms[p / VW], y = terms_back[p / VW];
        const number weight_j = number_at(weight, first + p), weight_k = number_at(weight, second + p), c = LOADV(cosine + p);
        const number turn = weight_j * z.by_c + weight_k * y.by_c;
        const number turn_j = turn / number_at(r, first + p), turn_k = turn / number_at(r, second + p);
        real along[2][VW], across[2][VW];
        STOREV(weight_j * z.by_r + weight_k * y.by_s - turn_j * c, along[0]);
        STOREV(weight_k * y.by_r + weight_j * z.by_s - turn_k * c, along[1]);
        STOREV(turn_j, across[0]);
        STOREV(turn_k, across[1]);
        for (uint t = 0; t < min((uint)VW, pairs - p); t++) {
            const uint j = first[p + t], k = second[p + t];
            const real4 u = LEG(j), v = LEG(k);
            const real3 push = along[0][t] * u.xyz + across[0][t] * v.xyz, pull = along[1][t] * v.xyz + across[1][t] * u.xyz;
            SLOT(j).xyz += push;
            SLOT(k).xyz += pull;
            TRIPLET_VIRIAL(j, k, push, pull)
        }
    }
    return energy;
}
#else
static inline real around_atom(uint n, uint kind, Around a) {
    real energy = 0;
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const Entry own = TRIPLET(kind, KIND(j), KIND(j));
        const Cut cut = cutoff_function(u.w, own);
        real4 p = 0;
        real weight = 0;
        if (cut.value > 0) {
            real zeta = 0;
            for (uint k = 0; k < n; k++) {
                if (k == j) continue;
                const real4 v = LEG(k);
                const Entry e = TRIPLET(kind, KIND(j), KIND(k));
                zeta += zeta_term(cutoff_function(v.w, e), angle_function(dot(u.xyz, v.xyz), e), rise_function(u.w - v.w, e)).value;
            }
            const Bond bond = bond_of(u.w, cut, zeta, own);
            const real share = bond.energy / 4; // half of the bond's half
            weight = bond.weight;
            energy += share;
            p = (real4)(bond.slope / 2 * u.xyz, share);
            LEG_VIRIAL(j, p.xyz)
        }
        SLOT(j) = p;
        SCRATCH_WEIGHT(j) = weight;
    }
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const real weight = SCRATCH_WEIGHT(j);
        real4 p = SLOT(j);
        for (uint k = 0; k < n; k++) {
            if (k == j) continue;
            const real4 v = LEG(k);
            const real c = dot(u.xyz, v.xyz), other = SCRATCH_WEIGHT(k);
            // As the bond, with k beside it, and beside the bond k.
            const Entry e = TRIPLET(kind, KIND(j), KIND(k)), back = TRIPLET(kind, KIND(k), KIND(j));
            const Term z = zeta_term(cutoff_function(v.w, e), angle_function(c, e), rise_function(u.w - v.w, e));
            const Term y = zeta_term(cutoff_function(u.w, back), angle_function(c, back), rise_function(v.w - u.w, back));
            const real along = weight * z.by_r + other * y.by_s, turn = (weight * z.by_c + other * y.by_c) / u.w;
            p.xyz += along * u.xyz + turn * (v.xyz - c * u.xyz);
            TRIPLET_VIRIAL(j, k, weight * (z.by_r * u.xyz + z.by_c / u.w * (v.xyz - c * u.xyz)),
                           weight * (z.by_s * v.xyz + z.by_c / v.w * (u.xyz - c * v.xyz)))
        }
        SLOT(j) = p;
    }
    return energy;
}
#endif
