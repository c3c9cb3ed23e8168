// Where a neighbour list keeps its entries; the builder and the pair loop share this.
//
// Layout: LIST_WIDTH work-items make a block; a work-item reads VW entries at once, and neighbouring
// work-items of a block read neighbouring words. LANES work-items share one atom and take its chunks
// of VW entries in turn. Entry k of the atom whose first work-item is number `lane` of its block:
//   chunk = k / VW, row = chunk / LANES
//   block * (rows * LIST_WIDTH * VW) + row * LIST_WIDTH * VW + (lane + chunk % LANES) * VW + k % VW
// A page is the run of blocks that one allocation holds. LIST_WIDTH and LANES are powers of two.

static inline size_t list_begin(uint item, uint rows) {
    return (size_t)(item / LIST_WIDTH) * rows * (LIST_WIDTH * VW) + (item & (LIST_WIDTH - 1)) * VW;
}


// The place of entry k of the atom whose first work-item's list begins at `begin`.
static inline size_t list_place(size_t begin, uint k) {
    const uint chunk = k / VW;
    return begin + (size_t)(chunk / LANES) * (LIST_WIDTH * VW) + (chunk & (LANES - 1)) * VW + (k & (VW - 1));
}
