// Atoms that have come into cells of another rank: which they are, and all that is known of them as words of 32 bits, a record for each.

// Instead of the cell of an atom that has gone.
#define GONE 0xffffffffu

// Of this rank's atoms, `n` from `first` on, those in cells that are not at places [from, to) of the curve: their number goes to leavers[0],
// and behind leavers[1] the place of each and that of its cell along the curve, in an order of chance. The counts of cells forget them. How
// many atoms are in no cell goes to leavers[1].
__kernel void find_leavers(__global const uint *restrict cell, __global const uint *restrict cell_rank,
                           __global uint *restrict counts, __global uint *restrict leavers,
                           __global const uint *restrict status, uint step, uint cells, uint from, uint to, uint first,
                           uint n) {
    const uint k = get_global_id(0);
    if (k >= n || passed_over(status, &step)) return;
    const uint home = cell[first + k];
    if (home >= cells) {
        atomic_inc(&leavers[1]);
        return;
    }
    const uint rank = cell_rank[home];
    if (rank >= from && rank < to) return;
    atomic_add(&counts[rank], 0xffffffffu); // one less
    vstore2((uint2)(first + k, rank), atomic_inc(&leavers[0]) + 1, leavers);
}

#define RECORD (12 + v_words + unkicked_words) // words of a record
#define EACH_COLUMN(COPY) \
    COPY(x, 6) COPY(v, v_words) COPY(image, 2) COPY(tag, 1) COPY(type, 1) COPY(mask, 1) COPY(cell, 1) COPY(unkicked, unkicked_words)

#define COPY_TO_RECORD(column, words) \
    for (uint w = 0; w < (words); w++) record[w] = column[(words) * i + w]; \
    record += (words);
#define COPY_FROM_RECORD(column, words) \
    for (uint w = 0; w < (words); w++) column[(words) * i + w] = record[w]; \
    record += (words);

// Records of the atoms at `places`, which go.
__kernel void pack_atoms(__global const uint *restrict x, __global const uint *restrict v, __global const uint *restrict image,
                         __global const uint *restrict tag, __global const uint *restrict type,
                         __global const uint *restrict mask, __global uint *restrict cell,
                         __global const uint *restrict unkicked, __global const uint *restrict places,
                         __global uint *restrict records, uint v_words, uint unkicked_words, uint first, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    const uint i = places[first + k];
    __global uint *record = records + k * RECORD;
    EACH_COLUMN(COPY_TO_RECORD)
    cell[i] = GONE;
}

// Puts atoms that have come to places from `first` on, after the last of `total` at the first, and counts them in their cells.
__kernel void unpack_atoms(__global uint *restrict x, __global uint *restrict v, __global uint *restrict image,
                           __global uint *restrict tag, __global uint *restrict type, __global uint *restrict mask,
                           __global uint *restrict cell, __global uint *restrict unkicked,
                           __global const uint *restrict records, __global const uint *restrict cell_rank,
                           __global uint *restrict counts, __global uint *restrict slot, uint v_words,
                           uint unkicked_words, uint first, uint total, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    const uint i = first + k < total ? first + k : first + k - total;
    __global const uint *record = records + k * RECORD;
    EACH_COLUMN(COPY_FROM_RECORD)
    slot[i] = atomic_inc(&counts[cell_rank[cell[i]]]);
}
