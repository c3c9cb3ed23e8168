// The atomic additions of a force evaluation without its arithmetic: one row per list entry.
__kernel void add_ones(__global const uint *restrict list, __global real *force, uint entries, uint n) {
    const uint k = get_global_id(0);
    if (k >= entries) return;
    const uint j = list[k];
    if (j < n) add_to_row(force, j, 1, 1, 1);
}
