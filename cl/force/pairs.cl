// Pairs of a neighbour list as vectors, and the numbers that belong to their types: before the file that says what is added up over
// them (accumulate.cl for forces, first_pass.cl for what forces need before).
//   VW           pairs handled at once, as one vector
//   PAIR_KINDS   how many of the TYPES differ for the pair style: all, or 1 where every pair of types has the same coefficients
// Those of one kind are constants (CUTSQ, C0, C1, ...); else they are rows (cutoff^2, c[0], c[1], ...) of `table`, one per
// ordered pair of types, padded to whole fours: first the first four of all rows, then the next four, and so on, so that what a loop reads
// lies close together. Behind them, at SAMPLES_AT, stand tabulated functions, which a style asks for by SAMPLED.

// Where a row begins, and how far from there its numbers are.
#define ROW_BEGIN(i, j) (4 * (((i) - 1) * TYPES + (j) - 1))
#define ROW_ENTRY(k) ((k) / 4 * 4 * TYPES * TYPES + (k) % 4)
#define ENTRY_OF(k) table[k + ROW_ENTRY(entry)]
// So many types of others at most, and a pair's row is chosen among those of all of them, instead of being looked up: on CPUs (whose lists
// are one work-item wide) and in tiles. Plain lists of GPUs lack the registers for it.
#define MOST_CHOSEN (LIST_WIDTH == 1 ? 8 : TILE ? 4 : 0)

// With CLUSTER > 1 a vector has pairs of several atoms, and some that are in no list; with LISTED the last one of an atom has, too.
#if CLUSTER > 1 || defined(LISTED)
typedef uintv minev;
#define LISTED_PARAMETER , maskv listed
#define ALL_LISTED , (maskv)(-1)
#define LISTED_ONLY(rsq, cutsq) (listed ? (rsq) : (cutsq)) // others are beyond the cutoff
#else
typedef uint minev;
#define LISTED_PARAMETER
#define ALL_LISTED
#define LISTED_ONLY(rsq, cutsq) (rsq)
#endif

// The numbers of VW pairs.
typedef struct {
    realv cutsq;
    realv c[COEFFICIENTS];
} Numbers;

static inline Numbers numbers_of_pairs(minev mine, uintv theirs, __global const real *table) {
    Numbers numbers;
#if PAIR_KINDS == 1
    const realv c[COEFFICIENTS] = CONSTANTS;
    numbers.cutsq = (realv)(CUTSQ);
SHORT_LOOP
    for (uint k = 0; k < COEFFICIENTS; k++) numbers.c[k] = c[k];
#elif PAIR_KINDS <= MOST_CHOSEN
    // The rows of all types of others: they stay the same through a list, so nothing is loaded for a pair.
SHORT_LOOP
    for (uint kind = 0; kind < TYPES; kind++) {
        const uintv j = (uintv)(ROW_BEGIN(mine, kind + 1)); // what GATHER goes by
        const maskv here = convert_maskv(theirs == (uintv)(kind + 1));
        uint entry = 0;
        const realv within = (realv)(GATHER(ENTRY_OF));
        numbers.cutsq = kind == 0 ? within : here ? within : numbers.cutsq;
SHORT_LOOP
        for (entry = 1; entry <= COEFFICIENTS; entry++) {
            const realv value = (realv)(GATHER(ENTRY_OF));
            numbers.c[entry - 1] = kind == 0 ? value : here ? value : numbers.c[entry - 1];
        }
    }
#else
    const uintv pair = (mine - 1) * TYPES + theirs - 1;
SHORT_LOOP
    for (int four = 0; four < (COEFFICIENTS + 1) / 4; four++) {
        const Four row = rows_of(table, pair + (uint)(four * TYPES * TYPES));
        if (four == 0) numbers.cutsq = row.a;
        else numbers.c[4 * four - 1] = row.a;
        numbers.c[4 * four] = row.b;
        numbers.c[4 * four + 1] = row.c;
        numbers.c[4 * four + 2] = row.d;
    }
#endif
    return numbers;
}

// Their cutoffs alone, squared.
#if PAIR_KINDS > 1
#define CUTSQ_OF(row) table[row]
static inline realv cutoffs_of_pairs(minev mine, uintv theirs, __global const real *table) {
    const uintv j = ROW_BEGIN(mine, theirs);
    return (realv)(GATHER(CUTSQ_OF));
}
#else
static inline realv cutoffs_of_pairs(minev mine, uintv theirs, __global const real *table) { return (realv)(CUTSQ); }
#endif
