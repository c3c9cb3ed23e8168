// Adds to the first three of the four numbers that row i of `rows` has, one after the other.
static inline void add_to_row(__global real *rows, uint i, real x, real y, real z) {
    volatile __global real *p = rows + 4 * (size_t)i;
    add_one(p, x);
    add_one(p + 1, y);
    add_one(p + 2, z);
}
