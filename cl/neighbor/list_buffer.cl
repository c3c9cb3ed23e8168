// How a work-item of the list builder (cl/neighbor/build_tile.cl) gathers an atom's entries into the chunks of its list.
//   HOLDER_WORDS    of local memory, `holder`, for the work-group's entries on their way
//   WAITING_STATE   declares what a work-item knows of its own: `waiting`, those on their way, and `stored`, those in the list
//   HOLD(k)         takes candidate k
//   BRIM(waiting)   whether some have to be stored, before the next TURN candidates at the latest
//   STORE_CHUNK(more)   stores a chunk, where there is no `more` of padding
//   NUMBER_WAITING  how many entries are on their way

// Entries are offsets of positions in local memory, of which eight in a row lie in different banks. What neighbouring
// work-items read at the same time should therefore have different places modulo 8. So entries wait in eight bins by their
// places, work-item l's bin 0 being that of place l, and a chunk takes one from each, from the fullest where one is empty.
#define ENTRIES 8
#define PADDING TILE_ENTRY(TILE_ATOMS)
#define DEPTH 12     // of a bin
#define RESERVE 24   // as many as are kept back, so that bins are seldom empty
#define TURN 24      // three for each bin
#define STORE_ROWS 4 // rows of cells between stores, so that work-items store at the same time
#define HOLDER_WORDS LARGER(2 * DEPTH * BLOCK_LOCAL, TILE_ATOMS) // where candidates come from, before
#if TILE_ATOMS > 2048 * LANES
#error "the place of a candidate within its bin is one byte"
#endif
#define BIN(bin, k) ((__local uchar *)holder)[((bin) * DEPTH + (k)) * BLOCK_LOCAL + lid]
// `waiting` has four bits for each bin.
#define WAITING_STATE uint waiting = 0, stored = 0, rows_done = 0;
#define IN_BIN(bin) ((waiting >> 4 * (bin)) & 15)
#define NUMBER_WAITING in_bins(waiting)
static inline uint in_bins(uint waiting) {
    return ((waiting & 0x0f0f0f0f) + ((waiting >> 4) & 0x0f0f0f0f)) * 0x01010101 >> 24;
}
static inline uint fullest_bin(uint waiting) {
    uint most = waiting & 0x88888888;
    CHOOSE(most == 0, most, waiting & 0x44444444)
    CHOOSE(most == 0, most, waiting & 0x22222222)
    CHOOSE(most == 0, most, waiting)
    return (31 - clz(most)) / 4;
}
// Whether a bin might not hold what comes in the next turn: 10 or more (then there is a whole chunk).
#define BRIM(waiting) (waiting & 0x88888888 & ((waiting << 1) | (waiting << 2)))
#define HOLD(k) { \
        const uint bin_ = MODULO((k) / LANES - lid, 8); \
        BIN(bin_, IN_BIN(bin_)) = (k) / (8 * LANES); \
        waiting += 1u << 4 * bin_; \
    }
#define STORE_CHUNK(more) { \
        uint word_[4] = {0}; \
SHORT_LOOP \
        for (uint s_ = 0; s_ < 8; s_++) { \
            uint entry_ = PADDING; \
            if (more) { \
                uint bin_ = s_; \
                if (IN_BIN(bin_) == 0) bin_ = fullest_bin(waiting); \
                const uint row_ = BIN(bin_, IN_BIN(bin_) - 1); \
                entry_ = TILE_ENTRY((row_ * 8 + MODULO(bin_ + lid, 8)) * LANES + lane); \
                waiting -= 1u << 4 * bin_; \
            } \
            word_[s_ / 2] |= entry_ << 16 * (s_ & 1); \
        } \
        stored += 8; \
        if (stored <= capacity) STORE4((uint4)(word_[0], word_[1], word_[2], word_[3]), list + slot); \
        slot += LIST_WIDTH * WORDS; \
    }
