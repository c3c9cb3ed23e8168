// Adds to the first three of the four numbers that row i of `rows` has, which begins at a multiple of its size: by NVIDIA's red for four
// floats at once, inline; compute capability 9.0 and later.
static inline void add_to_row(__global real *rows, uint i, real x, real y, real z) {
    volatile __global real *p = rows + 4 * (size_t)i;
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 : : "l"(p), "f"(x), "f"(y), "f"(z), "f"(0.0f) : "memory");
}
