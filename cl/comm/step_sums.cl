// Sums over all atoms that each step goes on with, where ranks know the numbers of their own atoms (cl/step/coupling.cl): what a rank tells
// the others is the sums of the parts that are all its own, and before and behind them the numbers of its atoms in parts that its borders cut.
//   FEEDBACK_SUMS   how many sums there are
// `ends` has the first atom of each rank, and how many atoms there are; part g begins with atom g * share, and there are `groups` of them.
// The k-th number of atom i is at k * stride + i, the k-th sum of part g at k * group_stride + g. What ranks tell stands one after another.

// What a rank tells: numbers of its atoms from `begin` on, `head` of them, sums from part `first` on, `whole` of them, numbers of
// its atoms from `tail` on; `count` in all.
typedef struct {
    uint begin, head, first, whole, tail, count;
} Piece;

static inline Piece piece_of(__global const uint *ends, uint rank, uint ranks, uint share, uint groups) {
    const uint end = ends[rank + 1];
    Piece p;
    p.begin = ends[rank];
    p.first = min((p.begin + share - 1) / share, groups);
    const uint last = rank + 1 == ranks ? groups : max(p.first, end / share);
    p.head = min(max(p.first * share, p.begin), end) - p.begin;
    p.whole = last - p.first;
    p.tail = min(max(last * share, p.begin + p.head), end);
    p.count = p.head + p.whole + (end - p.tail);
    return p;
}

// Where the number is that stands at place `p` of a row of what is told; `of_part`: among the sums.
static inline uint source_of(Piece piece, uint p, int *of_part) {
    const uint behind = piece.head + piece.whole;
    *of_part = p >= piece.head && p < behind;
    return p < piece.head ? piece.begin + p : p < behind ? piece.first + (p - piece.head) : piece.tail + (p - behind);
}

__kernel void pack_sums(__global const accum *restrict measured, uint stride, __global const accum *restrict sums, uint group_stride,
                        __global accum *restrict told, __global const uint *restrict ends, uint share, uint groups, uint rank, uint ranks) {
    uint before = 0;
    for (uint r = 0; r < rank; r++) before += piece_of(ends, r, ranks, share, groups).count;
    const Piece piece = piece_of(ends, rank, ranks, share, groups);
    const uint id = get_global_id(0);
    if (id >= FEEDBACK_SUMS * piece.count) return;
    int of_part;
    const uint k = id / piece.count, from = source_of(piece, id % piece.count, &of_part);
    told[FEEDBACK_SUMS * before + id] = of_part ? sums[k * group_stride + from] : measured[k * stride + from];
}

// What others have told.
__kernel void unpack_sums(__global accum *restrict measured, uint stride, __global accum *restrict sums, uint group_stride,
                          __global const accum *restrict told, __global const uint *restrict ends, uint share, uint groups, uint rank, uint ranks) {
    uint id = get_global_id(0), r = 0;
    Piece piece = piece_of(ends, r, ranks, share, groups);
    while (id >= FEEDBACK_SUMS * piece.count) {
        id -= FEEDBACK_SUMS * piece.count;
        if (++r == ranks) return;
        piece = piece_of(ends, r, ranks, share, groups);
    }
    if (r == rank) return;
    int of_part;
    const uint k = id / piece.count, to = source_of(piece, id % piece.count, &of_part);
    const accum number = told[get_global_id(0)];
    if (of_part) sums[k * group_stride + to] = number;
    else measured[k * stride + to] = number;
}
