// Where lists of long pairs are kept. The builder (build_long.cl) and the forces (cl/force/long_pairs.cl) share this.
//   LONG_LOCAL   work-items of a group, which takes a row: 1 on CPUs.
//   LONG_VECTOR  Rows have room for whole vectors of so many entries.
//   rows         where each row begins, and how many entries it has.
//   held         Per atom, how many owners are near it, or OWNS_ROW.

#define OWNS_ROW 0xffffffffu
#define COUNT_OWNERS 0  // Words of `counts`: owners,
#define COUNT_ENTRIES 1 // entries of all rows,
#define COUNT_NEAR 2    // and the most owners near an atom, where there was no room for them.

// Where the k-th of the owners near an atom stands. On CPUs those of an atom follow each other.
#if LONG_LOCAL == 1
#define NEAR_OWNER(i, k) ((size_t)(i) * near_room + (k))
#else
#define NEAR_OWNER(i, k) ((size_t)(k) * stride + (i))
#endif
