// What both list builders (cl/neighbor/build.cl, cl/neighbor/build_cluster.cl) know of an atom's surroundings. A list is full: for each atom every
// other atom, or image, with r^2 <= (cutoff + skin)^2 of their types at build time. An entry is the place of its staged position.
//   REACHES   how many of the TYPES differ for lists: all, or 1 where every pair of types has the same list cutoff, REACH^(1/2)

// With EXCLUDE some pairs are left out: an atom's special neighbours (cl/neighbor/bond_map.cl), SPECIAL_WIDTH at most, and what
// `neigh_modify exclude` says (EXCLUDED, of two group masks and whether the molecules are the same).
#ifdef EXCLUDE
#define EXCLUDE_ARGUMENTS \
    , __global const uint *restrict special, __global const uint *restrict mask, __global const uint *restrict molecule
#define EXCLUDE_NAMES , special, mask, molecule
#define EXCLUDE_PASSED EXCLUDE_NAMES, stride
#define EXCLUDE_TAKEN \
    , __global const uint *special, __global const uint *mask, __global const uint *molecule, uint stride
#define INCLUDED(j) included(i, j EXCLUDE_PASSED)
static inline int included(uint i, uint j EXCLUDE_TAKEN) {
    for (uint k = 0; k < SPECIAL_WIDTH; k++) {
        const uint2 link = vload2((size_t)k * stride + i, special);
        if (link.y == 0) break;
        if (link.x == j) return 0;
    }
    const uint home = j % stride;
    return !EXCLUDED(mask[i], mask[home], molecule[i] == molecule[home]);
}
#else
#define EXCLUDE_ARGUMENTS
#define EXCLUDE_NAMES
#define EXCLUDE_PASSED
#define EXCLUDE_TAKEN
#define INCLUDED(j) 1
#endif

// Padding: one of eight dummy positions, the one at least a quarter of the modulus away along each axis.
static inline uint dummy_for(staged a, uint dummies, __constant const Box *box) {
#ifdef DOUBLE
    const double3 to = (double3)(a.x * box->unit_rest[0], a.y * box->unit_rest[1], a.z * box->unit_rest[2]);
    const double3 off = fabs(to - rint(to));
    return dummies + (off.x < 0.25 ? 1 : 0) + (off.y < 0.25 ? 2 : 0) + (off.z < 0.25 ? 4 : 0);
#else
    const uint near = 1u << 30;
    return dummies + ((a.x + near) >> 31 ? 0 : 1) + ((a.y + near) >> 31 ? 0 : 2) + ((a.z + near) >> 31 ? 0 : 4);
#endif
}

// One coordinate of a cell that may lie across a face: the cell of the box that it repeats, and which copy of the
// box that is. Called with -total <= *at < 2 total.
static inline int fold(int at, int total, int cells, int *copy) {
#ifdef NO_REMAINDERS
    at = (at + total) % total;
#else
    CHOOSE(at < 0, at, at + total)
    CHOOSE(at >= total, at, at - total)
#endif
    *copy = 0;
    if (total == cells) return at;
    *copy = at / cells;
    return LEFT_BY(at, *copy, cells);
}

// The place (x, y, z) of a number that counts x fastest, along rows of nx and planes of nx ny.
static inline int3 place_of(int number, int nx, int ny) {
    const int row = number / nx, z = row / ny;
    return (int3)(LEFT_BY(number, row, nx), LEFT_BY(row, z, ny), z);
}

// The atoms [x, y) of a cell that may lie across a face, as places in `position`.
static inline uint2 atoms_of(int3 at, __global const uint *range, __constant const Box *box, uint stride) {
    int cx, cy, cz;
    at.x = fold(at.x, box->total[0], box->cells[0], &cx);
    at.y = fold(at.y, box->total[1], box->cells[1], &cy);
    at.z = fold(at.z, box->total[2], box->cells[2], &cz);
    const uint copy = (cz * box->replicas[1] + cy) * box->replicas[0] + cx;
    return vload2((at.z * box->cells[1] + at.y) * box->cells[0] + at.x, range) + copy * stride;
}

// Along one axis, where the cells end that can be looked up from `at` on.
static inline int lowest(int at, int axis, __constant const Box *box) {
    return box->images[axis] ? at : max(at, 0);
}
static inline int highest(int at, int axis, __constant const Box *box) {
    return box->images[axis] ? at : min(at, box->cells[axis] - 1);
}
