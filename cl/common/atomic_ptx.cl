// Atomic additions of floating-point numbers to global memory by NVIDIA's red for one number, inline (then atomic_row.cl).
#ifdef DOUBLE
static inline void add_one(volatile __global real *p, real x) {
    asm volatile("red.global.add.f64 [%0], %1;" : : "l"(p), "d"(x) : "memory");
}
#else
static inline void add_one(volatile __global real *p, real x) {
    asm volatile("red.global.add.f32 [%0], %1;" : : "l"(p), "f"(x) : "memory");
}
#endif
