// What ranks tell one another of atoms near their borders: of each the `width` words, side by side, that it has in each of some rows of a
// buffer, from row `row` on, which are `stride` atoms apart. Atom k of those that are told of is at places[k]. Behind them comes what the
// status says of a halt, so that all ranks learn of it together.
#define STATUS_TOLD 3

// Where the k-th word of what is told is, with `each` words of an atom.
static inline size_t place_of_word(uint k, __global const uint *places, uint width, uint each, uint row, uint stride) {
    const uint word = k % each;
    return ((size_t)(row + word / width) * stride + places[k / each]) * width + word % width;
}

__kernel void pack_places(__global const uint *restrict words, __global const uint *restrict places, __global uint *restrict packed,
                          __global const uint *restrict status, uint width, uint each, uint row, uint stride, uint n) {
    const uint k = get_global_id(0);
    if (k < n) packed[k] = words[place_of_word(k, places, width, each, row, stride)];
    else if (k < n + STATUS_TOLD)
        packed[k] = status[k == n ? STATUS_HALT : k == n + 1 ? STATUS_APART : STATUS_SLOTS];
}

__kernel void unpack_places(__global uint *restrict words, __global const uint *restrict places, __global const uint *restrict packed,
                            uint width, uint each, uint row, uint stride, uint n) {
    const uint k = get_global_id(0);
    if (k < n) words[place_of_word(k, places, width, each, row, stride)] = packed[k];
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

// ... where those of each begin, in two launches of COUNT_GROUPS groups for each of two runs of cells. Each group has a part of a run, in whole
// vectors for each work-item, whose loads need not wait for one another.
#define COUNT_GROUPS 64
static inline void part_of_cells(uint group, uint cells, uint *first, uint *last) {
    const uint share = 4 * ((cells / 4 + COUNT_GROUPS - 1) / COUNT_GROUPS);
    *first = min(group * share, cells / 4 * 4);
    *last = group == COUNT_GROUPS - 1 ? cells : min(*first + share, cells / 4 * 4);
}

// The vectors of a part that are a work-item's.
static inline void vectors_of(uint lid, uint first, uint last, uint *begin, uint *end) {
    const uint vectors = (last - first) / 4, share = (vectors + COUNT_LOCAL - 1) / COUNT_LOCAL;
    *begin = first / 4 + min(lid * share, vectors);
    *end = min(*begin + share, first / 4 + vectors);
}

static inline uint sum_of_vectors(__global const uint *begins, uint begin, uint end) {
    uint4 four = 0;
    for (uint k = begin; k < end; k++) four += vload4(k, begins);
    return four.x + four.y + four.z + four.w;
}

// The sum of each part, ...
__kernel __attribute__((reqd_work_group_size(COUNT_LOCAL, 1, 1)))
void sum_cell_parts(__global const uint *restrict told_begins, __global const uint *restrict heard_begins, __global uint *restrict parts,
                    uint told, uint heard) {
    __local uint sums[COUNT_LOCAL];
    const uint lid = get_local_id(0), run = get_group_id(0) / COUNT_GROUPS;
    __global const uint *begins = run ? heard_begins : told_begins;
    uint first, last, begin, end;
    part_of_cells(get_group_id(0) % COUNT_GROUPS, run ? heard : told, &first, &last);
    vectors_of(lid, first, last, &begin, &end);
    sums[lid] = sum_of_vectors(begins, begin, end);
    for (uint reach = COUNT_LOCAL / 2; reach > 0; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) sums[lid] += sums[lid + reach];
    }
    if (lid == 0) parts[get_group_id(0)] = sums[0];
}

// ... and what is before each cell: `begins` has one more number than there are cells, and `ends` for each of `ranks` ranks, of one run behind
// the other, where the atoms end of its cells, of which the last one is before cell_ends[rank], ...
__kernel __attribute__((reqd_work_group_size(COUNT_LOCAL, 1, 1)))
void sum_cell_atoms(__global uint *restrict told_begins, __global uint *restrict heard_begins, __global const uint *restrict parts,
                    __global const uint *restrict cell_ends, __global uint *restrict ends, uint ranks, uint told, uint heard) {
    __local uint2 sums[2 * COUNT_LOCAL]; // in this part, and in those before it
    const uint lid = get_local_id(0), run = get_group_id(0) / COUNT_GROUPS, group = get_group_id(0) % COUNT_GROUPS;
    const uint cells = run ? heard : told;
    __global uint *begins = run ? heard_begins : told_begins;
    uint first, last, begin, end;
    part_of_cells(group, cells, &first, &last);
    vectors_of(lid, first, last, &begin, &end);
    uint earlier = 0;
    for (uint k = lid; k < group; k += COUNT_LOCAL) earlier += parts[run * COUNT_GROUPS + k];
    const uint2 own = (uint2)(sum_of_vectors(begins, begin, end), earlier);
    uint side = 0;
    sums[lid] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint back = 1; back < COUNT_LOCAL; back <<= 1) {
        const uint2 before = lid >= back ? sums[side + lid - back] : (uint2)(0);
        sums[COUNT_LOCAL - side + lid] = sums[side + lid] + before;
        side = COUNT_LOCAL - side;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const uint2 all = sums[side + COUNT_LOCAL - 1];
    uint before = all.y + sums[side + lid].x - own.x;
    for (uint k = begin; k < end; k++) {
        const uint4 n = vload4(k, begins);
        vstore4((uint4)(before, before + n.x, before + n.x + n.y, before + n.x + n.y + n.z), k, begins);
        before += n.x + n.y + n.z + n.w;
    }
    const int ends_run = group == COUNT_GROUPS - 1;
    if (ends_run && lid == 0) {
        before = all.x + all.y;
        for (uint k = cells / 4 * 4; k < cells; k++) {
            const uint n = begins[k];
            begins[k] = before;
            before += n;
        }
        begins[cells] = before;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (uint rank = lid; rank < ranks; rank += COUNT_LOCAL) {
        const uint cell = min(cell_ends[run * ranks + rank], cells);
        if (cell >= first && (cell < last || ends_run)) ends[run * ranks + rank] = begins[cell];
    }
}

// ... and the places themselves.
__kernel void list_cell_atoms(__global const uint *restrict cell, __global const uint *restrict range, __global const uint *restrict begins,
                              __global uint *restrict places, uint cells) {
    const uint k = get_global_id(0);
    if (k >= cells) return;
    const uint begin = begins[k], end = begins[k + 1], first = range[2 * cell[k]];
    for (uint place = begin; place < end; place++) places[place] = first + place - begin;
}
