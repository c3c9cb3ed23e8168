// One force evaluation of a Lennard-Jones liquid (epsilon = sigma = 1), for `clamps bench force`: the same sum
// in many ways. What its two kernels, lanes.cl and vector.cl, have in common:
//   THIRD_LAW    half lists: each pair once, its force added to both atoms; else full lists
//   TRANSPOSED   neighbouring atoms have neighbouring entries; else each atom has a row of its own
//   LANES        how many entries of an atom are handled side by side, a power of two
//   CUTSQ        square of the cutoff
//   GROUP        work-items per group
// Positions are rows (x, y, z, 0), forces rows (x, y, z, unused), cleared beforehand where they are added to.
// Behind the n atoms there is a dummy, number n, without neighbours and far from all others.

typedef JOIN(REAL, 4) row4;

// Where the entry that `lane` takes from a chunk of LANES entries of atom i is.
#if TRANSPOSED
#define LIST_ENTRY(i, chunk, lane) (((size_t)(chunk) * n + (i)) * LANES + (lane))
#else
#define LIST_ENTRY(i, chunk, lane) (begin[i] + (chunk) * LANES + (lane))
#endif
