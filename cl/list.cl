// Where a neighbour list keeps its entries; the builder and the pair loop share this.
//
// Layout: LIST_WIDTH work-items make a block of lists; a work-item reads a chunk of WORDS words at once, and
// neighbouring work-items of a block read neighbouring words. LANES work-items share one atom and
// take its chunks in turn. Chunk c of the atom whose first work-item is number `lane` of its block:
//   row = c / LANES
//   block * (rows * LIST_WIDTH * WORDS) + row * LIST_WIDTH * WORDS + (lane + c % LANES) * WORDS
// A chunk holds VW entries of one word, or with TILE eight of 16 bits. A page is the run of blocks that one
// allocation holds. LIST_WIDTH and LANES are powers of two.

#if TILE
#define WORDS 4
#else
#define WORDS VW
#endif

static inline size_t list_begin(uint item, uint rows) {
    return (size_t)(item / LIST_WIDTH) * rows * (LIST_WIDTH * WORDS) + (item & (LIST_WIDTH - 1)) * WORDS;
}
