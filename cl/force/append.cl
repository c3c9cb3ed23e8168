// How places of neighbors within the cutoff are put together where CLUSTER atoms share a list (before loop_cluster.cl):
//   append(places, room, number, held, entries, near)
// appends the WORDS places `entries`, each for those of the first `held` atoms of the cluster that it is `near`, as loop_cluster.cl has them in a
// vector. Atom t has `number[t]` of them from places + t * room on. Those for which there is no room are counted.
//   PORTABLE   without instructions of a vendor's processors
#ifdef NEAR_LEFT
#define NEAR_KEPT
#define PLACES_SPACE __global
#elif defined(NEAR_TAKEN)
#define NEAR_KEPT
#define PLACES_SPACE __global const
#else
#define PLACES_SPACE
#endif
#if VW == 4
typedef uint entries_t;
#define STORE_ENTRIES(e, p) *(p) = e;
#elif VW == 8
typedef uint2 entries_t;
#define STORE_ENTRIES(e, p) vstore2(e, 0, p);
#else
typedef uint4 entries_t;
#define STORE_ENTRIES(e, p) vstore4(e, 0, p);
#endif

#if defined(COMPACT) && !defined(NEAR_TAKEN)

// AVX-512 moves those that a mask names to the front of a vector: clang's name of the instruction takes vectors of GCC's kind.
#if defined(__clang__) && defined(__AVX512F__) && VW == 16 && !defined(DOUBLE) && !defined(PORTABLE)
#if __has_builtin(__builtin_ia32_compresssi512_mask) && __has_builtin(__builtin_ia32_cmpd512_mask)
#define PACKS
#endif
#endif
#ifdef PACKS
typedef int packed_t __attribute__((vector_size(64)));
typedef union {
    packed_t packed;
    int16 vector;
} Packed;

static inline void append(PLACES_SPACE uint *places, uint room, uint *number, uint held, entries_t entries, maskv near) {
    const Packed four = {.vector = as_int16(entries.s0000111122223333)}, within = {.vector = near}, none = {.vector = 0};
    const ushort bits = __builtin_ia32_cmpd512_mask(within.packed, none.packed, 4, 0xffff); // 4: not equal
SHORT_LOOP
    for (uint t = 0; t < CLUSTER; t++) {
        if (t >= held) break; // the places of another's atoms
        const ushort mine = bits & (0x1111 << t);
        const Packed found = {.packed = __builtin_ia32_compresssi512_mask(four.packed, none.packed, mine)};
        vstore4(as_uint4(found.vector.s0123), 0, places + t * room + min(number[t], room - WORDS));
        number[t] += popcount(mine);
    }
}
#else
static inline void append(PLACES_SPACE uint *places, uint room, uint *number, uint held, entries_t entries, maskv near) {
    uint hits[VW], each[WORDS];
    STOREV(convert_uintv(near) & 1, hits);
    STORE_ENTRIES(entries, each)
SHORT_LOOP
    for (uint t = 0; t < CLUSTER; t++) {
        if (t >= held) break;
        const uint from = min(number[t], room - WORDS);
        uint to = from;
SHORT_LOOP
        for (uint m = 0; m < WORDS; m++) { // no branch: a miss is overwritten by the next hit
            places[t * room + to] = each[m];
            to += hits[m * CLUSTER + t];
        }
        number[t] += to - from;
    }
}
#endif
#endif
