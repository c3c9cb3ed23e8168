// Atomic additions of floating-point numbers to global memory by cl_ext_float_atomics, of OpenCL C 3.0 (then atomic_row.cl).
static inline void add_one(volatile __global real *p, real x) {
    atomic_fetch_add_explicit((volatile __global JOIN(atomic_, REAL) *)p, x, memory_order_relaxed,
                              memory_scope_device);
}
