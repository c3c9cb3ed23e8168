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
#else
#define WORDS VW
#endif

static inline size_t list_begin(uint item, uint rows) {
    return (size_t)(item / LIST_WIDTH) * rows * (LIST_WIDTH * WORDS) + MODULO(item, LIST_WIDTH) * WORDS;
}

// m of the VW atoms j; FROM_0 are the first VW numbers.
#if VW == 1
#define FROM_0 0
#define GATHER(m) m(j)
#elif VW == 2
#define FROM_0 (uint2)(0, 1)
#define GATHER(m) m(j.s0), m(j.s1)
#elif VW == 4
#define FROM_0 (uint4)(0, 1, 2, 3)
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3)
#elif VW == 8
#define FROM_0 (uint8)(0, 1, 2, 3, 4, 5, 6, 7)
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3), m(j.s4), m(j.s5), m(j.s6), m(j.s7)
#elif VW == 16
#define FROM_0 (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3), m(j.s4), m(j.s5), m(j.s6), m(j.s7), \
                  m(j.s8), m(j.s9), m(j.sa), m(j.sb), m(j.sc), m(j.sd), m(j.se), m(j.sf)
#endif

// Positions and types of VW atoms, as one vector per component: whole positions are loaded, and transposed in registers. J(n) is the place of
// the n-th, n in hexadecimal digits: of a vector j, or in memory at `places`, out of which it costs one instruction less.
#define OF_VECTOR(n) j.s##n
#define OF_MEMORY(n) places[0x##n]
#if VW == 8 || VW == 16
#define staged16 JOIN(STAGED, 16)
#define QUAD(a, b, c, d) (staged16)(position[a], position[b], position[c], position[d])
#endif
#if VW == 8
#define LOAD_POSITIONS_OF(J) \
    const staged16 q0 = QUAD(J(0), J(1), J(2), J(3)), q1 = QUAD(J(4), J(5), J(6), J(7)); \
    const stagedv x = (stagedv)(q0.s048c, q1.s048c), y = (stagedv)(q0.s159d, q1.s159d); \
    const stagedv z = (stagedv)(q0.s26ae, q1.s26ae), w = (stagedv)(q0.s37bf, q1.s37bf);
#elif VW == 16
#define LOAD_POSITIONS_OF(J) \
    const staged16 q0 = QUAD(J(0), J(1), J(2), J(3)), q1 = QUAD(J(4), J(5), J(6), J(7)); \
    const staged16 q2 = QUAD(J(8), J(9), J(a), J(b)), q3 = QUAD(J(c), J(d), J(e), J(f)); \
    const stagedv x = (stagedv)(q0.s048c, q1.s048c, q2.s048c, q3.s048c); \
    const stagedv y = (stagedv)(q0.s159d, q1.s159d, q2.s159d, q3.s159d); \
    const stagedv z = (stagedv)(q0.s26ae, q1.s26ae, q2.s26ae, q3.s26ae); \
    const stagedv w = (stagedv)(q0.s37bf, q1.s37bf, q2.s37bf, q3.s37bf);
#endif
#if VW == 8 || VW == 16
#define LOAD_POSITIONS LOAD_POSITIONS_OF(OF_VECTOR)
#define LOAD_POSITIONS_AT LOAD_POSITIONS_OF(OF_MEMORY)
#else
#define X_OF(k) position[k].x
#define Y_OF(k) position[k].y
#define Z_OF(k) position[k].z
#define W_OF(k) position[k].w
#define LOAD_POSITIONS \
    const stagedv x = (stagedv)(GATHER(X_OF)), y = (stagedv)(GATHER(Y_OF)); \
    const stagedv z = (stagedv)(GATHER(Z_OF)), w = (stagedv)(GATHER(W_OF));
#define LOAD_POSITIONS_AT LOAD_POSITIONS
#endif

#if CLUSTER > 1
// FILLED(v) is what fills a vector with v of each atom of the cluster. COPY_ENTRIES copies WORDS entries.
#if VW == 4
#define FILLED(v) v
#define COPY_ENTRIES(from, to) *(to) = *(from);
#elif VW == 8
#define FILLED(v) v, v
#define COPY_ENTRIES(from, to) vstore2(vload2(0, from), 0, to);
#else
#define FILLED(v) v, v, v, v
#define COPY_ENTRIES(from, to) vstore4(vload4(0, from), 0, to);
#endif
#endif
