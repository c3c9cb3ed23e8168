// What a device can do at most, measured: arithmetic, reading, atomic additions.
//   VW      numbers or words that a work-item handles at once, as one vector (2 to 16)
//   FUSED   whether the chains are of fma(), or of products and sums
#if FUSED
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

// Eight independent chains of `rounds` multiply-adds on vectors: 16 VW rounds operations per work-item.
__kernel void multiply_add(__global real *restrict out, real a, real b, uint rounds) {
    const realv s = (realv)(a) + (real)get_global_id(0) * (real)1e-9, t = (realv)(b);
    realv x0 = s, x1 = s + 1, x2 = s + 2, x3 = s + 3, x4 = s + 4, x5 = s + 5, x6 = s + 6, x7 = s + 7;
    for (uint k = 0; k < rounds; k++) {
        x0 = MULTIPLY_ADD(x0, s, t);
        x1 = MULTIPLY_ADD(x1, s, t);
        x2 = MULTIPLY_ADD(x2, s, t);
        x3 = MULTIPLY_ADD(x3, s, t);
        x4 = MULTIPLY_ADD(x4, s, t);
        x5 = MULTIPLY_ADD(x5, s, t);
        x6 = MULTIPLY_ADD(x6, s, t);
        x7 = MULTIPLY_ADD(x7, s, t);
    }
    const realv sum = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
    real numbers[VW];
    JOIN(vstore, VW)(sum, 0, numbers);
    real total = 0;
    for (uint k = 0; k < VW; k++) total += numbers[k];
    out[get_global_id(0)] = total;
}

// Reads `items * count` vectors, `passes` times. In each pass a work-item takes another part, so that its
// own cache does not serve it. Part p, vector k is vector p * part + k * step.
__kernel void read_words(__global const uint *restrict words, __global uint *restrict out, uint count,
                         uint part, uint step, uint passes) {
    const uint items = get_global_size(0);
    uintv sum = 0;
    for (uint pass = 0; pass < passes; pass++) {
        const size_t p = (get_global_id(0) + (size_t)pass * (items / 2 + 1)) % items;
        __global const uint *from = words + VW * p * part;
        for (uint k = 0; k < count; k++) sum ^= JOIN(vload, VW)(0, from + VW * (size_t)k * step);
    }
    uint numbers[VW];
    JOIN(vstore, VW)(sum, 0, numbers);
    uint total = 0;
    for (uint k = 0; k < VW; k++) total ^= numbers[k];
    out[get_global_id(0)] = total;
}
