// Atomic additions of floating-point numbers to global memory by a loop of compare-and-swap, which in double precision needs
// cl_khr_int64_base_atomics (then atomic_row.cl). The loop begins with a plain read, a guess that the swap checks. By the book that is
// a race with the others' swaps: simulators, which look for races, get BLIND_GUESS and begin with 0.
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
