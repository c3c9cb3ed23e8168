// What ranks tell one another of atoms near their borders: of each `width` words, side by side in a buffer. Atom k of those that are told of
// is at places[k].

__kernel void pack_places(__global const uint *restrict words, __global const uint *restrict places,
                          __global uint *restrict packed, uint width, uint n) {
    const uint k = get_global_id(0);
    if (k < n) packed[k] = words[places[k / width] * width + k % width];
}

__kernel void unpack_places(__global uint *restrict words, __global const uint *restrict places,
                            __global const uint *restrict packed, uint width, uint n) {
    const uint k = get_global_id(0);
    if (k < n) words[places[k / width] * width + k % width] = packed[k];
}
