// Where a neighbour list keeps its entries; the builder and the pair loop share this.
//
// Each of the LANES work-items of an atom has a list of its own, and reads it by chunks of WORDS words. LIST_WIDTH
// work-items make a block, in which neighbouring work-items read neighbouring words. Chunk c of the
// work-item that is number `lane` of its block:
//   block * (rows * LIST_WIDTH * WORDS) + c * LIST_WIDTH * WORDS + lane * WORDS
// A chunk holds VW entries of one word, or with TILE eight of 16 bits. A page is the run of blocks that one
// allocation holds. LIST_WIDTH and LANES are powers of two.

#if TILE
#define WORDS 4
// An entry is where a position begins in local memory, in bytes.
#define TILE_ENTRY(k) (BANKED(k, TILE_ATOMS + 1) * (uint)sizeof(real4))
#elif CLUSTER > 1
// CPUs: CLUSTER atoms that follow each other in their order share a list. An entry has a place in its lower bits, and
// above them a bit for each atom of the cluster that it is a neighbour of. A vector holds the pairs of the cluster with
// WORDS entries. The last entries are the cluster's own atoms. A chunk before the first has in its first word how many
// there are. The bits matter for every pair: one that comes near after the list was built is not in it, as in LAMMPS.
#define WORDS (VW / CLUSTER)
#define PLACE_BITS 28
#define PLACE_MASK ((1u << PLACE_BITS) - 1)
// Clusters are parts of octants of cells. Their lists follow each other; this is the place of the first one of an octant,
// in rows, which is number `octant` along the curve and begins at atom `begin`, in a page that begins at atom `first`.
// Where an octant's atoms end, a cluster need not be full: each octant before may have left one place. That counts from the
// start of the box, as which octants a page's atoms are in changes from rebuild to rebuild; but where octants outnumber
// atoms, these need no more places than there are of them.
static inline uint cluster_slot(uint begin, uint first, uint octant) {
    return min((begin - first) / CLUSTER + octant, begin - first);
}
// Octants of cells, and those that a work-group of all takes: the ones that begin in its share of the atoms.
static inline uint octants_of(BOX_SPACE const Box *box) {
    return (box->cells[0] + 1) / 2 * ((box->cells[1] + 1) / 2) * ((box->cells[2] + 1) / 2);
}
static inline uint2 octants_of_group(__global const uint *blocks, uint octants, uint n) {
    const uint groups = get_num_groups(0), group = get_group_id(0);
    if (groups == 1) return (uint2)(0, octants);
    const uint from = (ulong)n * group / groups, to = (ulong)n * (group + 1) / groups;
    uint2 mine = 0;
    for (uint octant = 0; octant < octants; octant++) {
        const uint2 atoms = vload2(2 * octant, blocks);
        if (atoms.x >= atoms.y || atoms.x < from) continue;
        if (atoms.x >= to) break;
        mine = (uint2)(mine.y == 0 ? octant : mine.x, octant + 1);
    }
    return mine;
}
#else
#define WORDS VW
#endif

static inline size_t list_begin(uint item, uint rows) {
    return (size_t)(item / LIST_WIDTH) * rows * (LIST_WIDTH * WORDS) + MODULO(item, LIST_WIDTH) * WORDS;
}

// The first VW numbers.
#define FROM_0 (uintv)(NUMBERED)

// Positions and types of VW atoms, as one vector per component: whole positions are loaded, and transposed in registers. J(n) is the place of
// the n-th, n in hexadecimal digits: of a vector j, or in memory at `places`, out of which it costs one instruction less.
#define OF_VECTOR(n) j.s##n
#define OF_MEMORY(n) places[0x##n]
#if VW >= 8
#define staged16 JOIN(STAGED, 16)
#define QUAD(a, b, c, d) (staged16)(position[a], position[b], position[c], position[d])
#else
#define X_OF(k) position[k].x
#define Y_OF(k) position[k].y
#define Z_OF(k) position[k].z
#define W_OF(k) position[k].w
#define LOAD_POSITIONS(J) \
    const stagedv x = (stagedv)(GATHER(X_OF)), y = (stagedv)(GATHER(Y_OF)); \
    const stagedv z = (stagedv)(GATHER(Z_OF)), w = (stagedv)(GATHER(W_OF));
#endif
