// Forces of three bodies by vectors, for the first pass of styles whose formulas take a `number`, after cl/force/partial_forces.cl and
// before their files.
// On CPUs, whose atoms share lists, that is VW neighbors, or pairs of these (WIDE); else it is one. A Row has the numbers of as many
// triplets of types, of which NUMBER_OF(row, k) is the k-th.
#define WIDE (CLUSTER > 1 && SLOTS <= 32)
#if WIDE
typedef realv number;
#define SOME(condition) ANY(condition)
#define EVERY(condition) ALL(condition)
#if TRIPLET_KINDS == 1
typedef uint Row;
#else
typedef struct {
    __global const real *triplets;
    const uint *begins;
} Row;
static inline number number_of(Row row, uint k) {
    real numbers[VW];
    for (uint t = 0; t < VW; t++) numbers[t] = row.triplets[row.begins[t] + k];
    return LOADV(numbers);
}
#undef NUMBER_OF
#define NUMBER_OF(row, k) number_of(row, k)
#endif
#else
typedef real number;
#define SOME(condition) (condition)
#define EVERY(condition) (condition)
typedef Entry Row;
#endif

// A function and its slope.
typedef struct {
    number value, slope;
} Sloped;

// Of numbers near 1, or where digits do not matter; powr takes several times as long, and PoCL 3.1's is wrong for eight numbers in double.
static inline number quick_power(number x, number exponent) {
    return exp2(exponent * log2(x));
}

#if WIDE
#define PAIRS PADDED(SLOTS * (SLOTS - 1) / 2)
// An atom's neighbors, and the pairs j = `first`, k = `second` of these with j < k; then some that fill vectors.
typedef struct {
    uint count, pairs, first[PAIRS], second[PAIRS];
    real distance[PADDED(SLOTS)], cosine[PAIRS];
#if TRIPLET_KINDS != 1
    uint own_begins[PADDED(SLOTS)], begins[PAIRS], begins_back[PAIRS];
#endif
} Near;
#if TRIPLET_KINDS == 1
#define KEEP_ROW(begin, j, k)
#define OWN_ROW(near, k) 0
#define PAIR_ROW(near, p) 0
#define PAIR_ROW_BACK(near, p) 0
#else
#define KEEP_ROW(begin, j, k) begin = TRIPLET(kind, KIND(j), KIND(k)) - a.triplets;
#define OWN_ROW(near, k) (Row){a.triplets, (near).own_begins + (k)} // of the triplets (i, k, k)
#define PAIR_ROW(near, p) (Row){a.triplets, (near).begins + (p)} // (i, j, k)
#define PAIR_ROW_BACK(near, p) (Row){a.triplets, (near).begins_back + (p)} // (i, k, j)
#endif

ALWAYS_INLINE void find_pairs(Near *near, uint n, uint kind, Around a) {
    uint p = 0;
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        near->distance[j] = u.w;
        KEEP_ROW(near->own_begins[j], j, j)
        for (uint k = j + 1; k < n; k++, p++) {
            near->first[p] = j, near->second[p] = k;
            near->cosine[p] = dot(u.xyz, LEG(k).xyz);
            KEEP_ROW(near->begins[p], j, k)
            KEEP_ROW(near->begins_back[p], k, j)
        }
    }
    near->count = n, near->pairs = p;
    for (uint k = n; k < PADDED(n); k++) {
        near->distance[k] = near->distance[0];
        KEEP_ROW(near->own_begins[k], 0, 0)
    }
    for (; p < PADDED(near->pairs); p++) {
        near->first[p] = near->second[p] = 0;
        near->cosine[p] = 0;
        KEEP_ROW(near->begins[p], 0, 0)
        KEEP_ROW(near->begins_back[p], 0, 0)
    }
}

// Numbers of VW of the neighbors `at`.
static inline number number_at(const real *numbers, const uint *at) {
    real values[VW];
SHORT_LOOP
    for (uint t = 0; t < VW; t++) values[t] = numbers[at[t]];
    return LOADV(values);
}

// Adds to the slots of VW pairs from p on what the energy of each does: its slopes by the lengths of j and k and by the cosine between
// them; and `third` to the energies of both.
ALWAYS_INLINE void push_pairs(const Near *near, uint p, number by_j, number by_k, number by_c, number third, Around a) {
    const number c = LOADV(near->cosine + p);
    const number turn_j = by_c / number_at(near->distance, near->first + p), turn_k = by_c / number_at(near->distance, near->second + p);
    real along_j[VW], along_k[VW], across_j[VW], across_k[VW], shares[VW];
    STOREV(by_j - turn_j * c, along_j);
    STOREV(by_k - turn_k * c, along_k);
    STOREV(turn_j, across_j);
    STOREV(turn_k, across_k);
    STOREV(third, shares);
    for (uint t = 0; t < min((uint)VW, near->pairs - p); t++) {
        const uint j = near->first[p + t], k = near->second[p + t];
        const real4 u = LEG(j), v = LEG(k);
        const real3 push = along_j[t] * u.xyz + across_j[t] * v.xyz, pull = along_k[t] * v.xyz + across_k[t] * u.xyz;
        SLOT(j) += (real4)(push, shares[t]);
        SLOT(k) += (real4)(pull, shares[t]);
        TRIPLET_VIRIAL(j, k, push, pull)
    }
}
#endif
