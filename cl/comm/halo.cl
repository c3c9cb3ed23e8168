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
