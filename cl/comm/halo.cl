// What ranks tell one another of atoms near their borders: of each `width` words, side by side in a buffer. Atom k of those that are told of
// is at places[k]. Behind them comes what the status says of a halt, so that all ranks learn of it together.
#define STATUS_TOLD 3

__kernel void pack_places(__global const uint *restrict words, __global const uint *restrict places,
                          __global uint *restrict packed, __global const uint *restrict status, uint width, uint n) {
    const uint k = get_global_id(0);
    if (k < n) packed[k] = words[places[k / width] * width + k % width];
    else if (k < n + STATUS_TOLD)
        packed[k] = status[k == n ? STATUS_HALT : k == n + 1 ? STATUS_APART : STATUS_SLOTS];
}

__kernel void unpack_places(__global uint *restrict words, __global const uint *restrict places,
                            __global const uint *restrict packed, uint width, uint n) {
    const uint k = get_global_id(0);
    if (k < n) words[places[k / width] * width + k % width] = packed[k];
}

// Of `n` blocks of cells, in another order, what the loop over lists in tiles is to know: a row of four words, and a center of `width`.
__kernel void pick_blocks(__global const uint *restrict order, __global const uint *restrict blocks, __global const uint *restrict centers,
                          __global uint *restrict own_blocks, __global uint *restrict own_centers, uint width, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    vstore4(vload4(order[k], blocks), k, own_blocks);
    for (uint word = 0; word < width; word++) own_centers[width * k + word] = centers[width * order[k] + word];
}

// Of `cells` cells, one after another, the places of their atoms: how many each has, ...
__kernel void count_cell_atoms(__global const uint *restrict cell, __global const uint *restrict range, __global uint *restrict begins, uint cells) {
    const uint k = get_global_id(0);
    if (k >= cells) return;
    const uint2 atoms = vload2(cell[k], range);
    begins[k] = max(atoms.x, atoms.y) - atoms.x;
}

// ... where those of each begin, by one group: `begins` has one more number than there are cells, and `ends` for each of `ranks` ranks where
// those end whose last cell is before cell_ends[rank], ...
__kernel __attribute__((reqd_work_group_size(COUNT_LOCAL, 1, 1)))
void sum_cell_atoms(__global uint *restrict begins, __global const uint *restrict cell_ends, __global uint *restrict ends,
                    uint first_end, uint ranks, uint cells) {
    __local uint sums[2 * COUNT_LOCAL];
    // Whole vectors for each work-item, whose loads need not wait for one another.
    const uint lid = get_local_id(0), vectors = cells / 4, share = (vectors + COUNT_LOCAL - 1) / COUNT_LOCAL;
    const uint first = min(lid * share, vectors), last = min(first + share, vectors);
    uint4 four = 0;
    for (uint k = first; k < last; k++) four += vload4(k, begins);
    const uint sum = four.x + four.y + four.z + four.w;
    uint side = 0;
    sums[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint back = 1; back < COUNT_LOCAL; back <<= 1) {
        const uint before = lid >= back ? sums[side + lid - back] : 0;
        sums[COUNT_LOCAL - side + lid] = sums[side + lid] + before;
        side = COUNT_LOCAL - side;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    uint before = sums[side + lid] - sum;
    for (uint k = first; k < last; k++) {
        const uint4 n = vload4(k, begins);
        vstore4((uint4)(before, before + n.x, before + n.x + n.y, before + n.x + n.y + n.z), k, begins);
        before += n.x + n.y + n.z + n.w;
    }
    if (lid == COUNT_LOCAL - 1) {
        before = sums[side + lid];
        for (uint k = 4 * vectors; k < cells; k++) {
            const uint n = begins[k];
            begins[k] = before;
            before += n;
        }
        begins[cells] = before;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint rank = lid; rank < ranks; rank += COUNT_LOCAL) ends[first_end + rank] = begins[min(cell_ends[first_end + rank], cells)];
}

// ... and the places themselves.
__kernel void list_cell_atoms(__global const uint *restrict cell, __global const uint *restrict range, __global const uint *restrict begins,
                              __global uint *restrict places, uint cells) {
    const uint k = get_global_id(0);
    if (k >= cells) return;
    const uint begin = begins[k], end = begins[k + 1], first = range[2 * cell[k]];
    for (uint place = begin; place < end; place++) places[place] = first + place - begin;
}
