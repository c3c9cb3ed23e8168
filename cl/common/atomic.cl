// Atomic additions of floating-point numbers to global memory, by the first of these that is defined:
//   ATOMIC_EXTENSION    cl_ext_float_atomics, of OpenCL C 3.0
//   ATOMIC_PTX_VECTOR   NVIDIA's red for four floats at once, inline; compute capability 9.0 and later
//   ATOMIC_PTX          NVIDIA's red for one number, inline
// and without any of them by a loop of compare-and-swap, which in double precision needs
// cl_khr_int64_base_atomics. The loop begins with a plain read, a guess that the swap checks. By the book that is a
// race with the others' swaps: simulators, which look for races, get BLIND_GUESS and begin with 0.

#if defined(ATOMIC_EXTENSION)
static inline void add_one(volatile __global real *p, real x) {
    atomic_fetch_add_explicit((volatile __global JOIN(atomic_, REAL) *)p, x, memory_order_relaxed,
                              memory_scope_device);
}
#elif defined(ATOMIC_PTX) && defined(DOUBLE)
static inline void add_one(volatile __global real *p, real x) {
    asm volatile("red.global.add.f64 [%0], %1;" : : "l"(p), "d"(x) : "memory");
}
#elif defined(ATOMIC_PTX)
static inline void add_one(volatile __global real *p, real x) {
    asm volatile("red.global.add.f32 [%0], %1;" : : "l"(p), "f"(x) : "memory");
}
#elif !defined(ATOMIC_PTX_VECTOR)
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define WORD ulong
#define COMPARE_AND_SWAP atom_cmpxchg
#else
#define WORD uint
#define COMPARE_AND_SWAP atomic_cmpxchg
#endif
static inline void add_one(volatile __global real *p, real x) {
    volatile __global WORD *word = (volatile __global WORD *)p;
#ifdef BLIND_GUESS
    WORD seen = 0, expected;
#else
    WORD seen = *word, expected;
#endif
    do {
        expected = seen;
        seen = COMPARE_AND_SWAP(word, expected, JOIN(as_, WORD)(JOIN(as_, REAL)(expected) + x));
    } while (seen != expected);
}
#endif

// Adds to the first three of the four numbers that row i of `rows` has, which begins at a multiple of its size.
static inline void add_to_row(__global real *rows, uint i, real x, real y, real z) {
    volatile __global real *p = rows + 4 * (size_t)i;
#ifdef ATOMIC_PTX_VECTOR
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 : : "l"(p), "f"(x), "f"(y), "f"(z), "f"(0.0f) : "memory");
#else
    add_one(p, x);
    add_one(p + 1, y);
    add_one(p + 2, z);
#endif
}
