// Declarations of OpenCL's built-in functions, as far as cl/ uses them, in place of those of the compiler's header: clang's
// opencl-c.h has 12,000 and takes 80 ms of each program, these take 10. Types and attributes are as there, as both decide what the
// compiler makes of a call. The constants and types of OpenCL come from opencl-c-base.h as before.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define BUILTIN_FLOATS(declare, name) declare(name, float) declare(name, double)
#define BUILTIN_NUMBERS(declare, name) BUILTIN_INTEGERS(declare, name) BUILTIN_FLOATS(declare, name)
#else
#define BUILTIN_FLOATS(declare, name) declare(name, float)
#define BUILTIN_NUMBERS(declare, name) BUILTIN_INTEGERS(declare, name) BUILTIN_FLOATS(declare, name)
#endif
#define BUILTIN_INTEGERS(declare, name) declare(name, int) declare(name, uint) declare(name, long) declare(name, ulong)
#define BUILTIN_NARROW(declare, name) declare(name, char) declare(name, uchar) declare(name, short) declare(name, ushort)
#define BUILTIN_WIDTHS(declare, ...) \
    declare(, __VA_ARGS__) declare(2, __VA_ARGS__) declare(3, __VA_ARGS__) declare(4, __VA_ARGS__) declare(8, __VA_ARGS__) \
    declare(16, __VA_ARGS__)

#define BUILTIN __attribute__((overloadable))
#define BUILTIN_CONST __attribute__((overloadable)) __attribute__((const))
#define BUILTIN_PURE __attribute__((overloadable)) __attribute__((pure))

// Work-items.
uint BUILTIN_CONST get_work_dim(void);
size_t BUILTIN_CONST get_global_size(uint);
size_t BUILTIN_CONST get_global_id(uint);
size_t BUILTIN_CONST get_local_size(uint);
size_t BUILTIN_CONST get_local_id(uint);
size_t BUILTIN_CONST get_num_groups(uint);
size_t BUILTIN_CONST get_group_id(uint);
size_t BUILTIN_CONST get_global_offset(uint);
void BUILTIN __attribute__((convergent)) barrier(cl_mem_fence_flags);
void BUILTIN mem_fence(cl_mem_fence_flags);

// Of one, two and three numbers, in vectors of all widths.
#define BUILTIN_OF_1(width, name, type) type##width BUILTIN_CONST name(type##width);
#define BUILTIN_OF_2(width, name, type) type##width BUILTIN_CONST name(type##width, type##width);
#define BUILTIN_OF_3(width, name, type) type##width BUILTIN_CONST name(type##width, type##width, type##width);
#define BUILTIN_UNARY(name, type) BUILTIN_WIDTHS(BUILTIN_OF_1, name, type)
#define BUILTIN_BINARY(name, type) BUILTIN_WIDTHS(BUILTIN_OF_2, name, type)
#define BUILTIN_TERNARY(name, type) BUILTIN_WIDTHS(BUILTIN_OF_3, name, type)
#define BUILTIN_SCALAR(name, type) type BUILTIN_CONST name(type);
#define BUILTIN_SCALARS(name, type) type BUILTIN_CONST name(type, type);
BUILTIN_FLOATS(BUILTIN_UNARY, acos)
BUILTIN_FLOATS(BUILTIN_UNARY, asin)
BUILTIN_FLOATS(BUILTIN_UNARY, atan)
BUILTIN_FLOATS(BUILTIN_UNARY, ceil)
BUILTIN_FLOATS(BUILTIN_UNARY, cos)
BUILTIN_FLOATS(BUILTIN_UNARY, cosh)
BUILTIN_FLOATS(BUILTIN_UNARY, cospi)
BUILTIN_FLOATS(BUILTIN_UNARY, erf)
BUILTIN_FLOATS(BUILTIN_UNARY, erfc)
BUILTIN_FLOATS(BUILTIN_UNARY, exp)
BUILTIN_FLOATS(BUILTIN_UNARY, exp2)
BUILTIN_FLOATS(BUILTIN_UNARY, fabs)
BUILTIN_FLOATS(BUILTIN_UNARY, floor)
BUILTIN_FLOATS(BUILTIN_UNARY, log)
BUILTIN_FLOATS(BUILTIN_UNARY, log2)
BUILTIN_FLOATS(BUILTIN_UNARY, rint)
BUILTIN_FLOATS(BUILTIN_UNARY, rsqrt)
BUILTIN_FLOATS(BUILTIN_UNARY, sin)
BUILTIN_FLOATS(BUILTIN_UNARY, sinh)
BUILTIN_FLOATS(BUILTIN_UNARY, sinpi)
BUILTIN_FLOATS(BUILTIN_UNARY, sqrt)
BUILTIN_FLOATS(BUILTIN_UNARY, tan)
BUILTIN_FLOATS(BUILTIN_UNARY, tanh)
BUILTIN_FLOATS(BUILTIN_UNARY, trunc)
BUILTIN_UNARY(native_recip, float)
BUILTIN_FLOATS(BUILTIN_BINARY, fmax)
BUILTIN_FLOATS(BUILTIN_BINARY, fmin)
BUILTIN_FLOATS(BUILTIN_BINARY, pow)
BUILTIN_FLOATS(BUILTIN_BINARY, powr)
BUILTIN_FLOATS(BUILTIN_TERNARY, fma)
BUILTIN_NUMBERS(BUILTIN_BINARY, max)
BUILTIN_NUMBERS(BUILTIN_BINARY, min)
BUILTIN_NUMBERS(BUILTIN_TERNARY, clamp)
BUILTIN_INTEGERS(BUILTIN_BINARY, mul_hi)
BUILTIN_INTEGERS(BUILTIN_SCALAR, clz)
BUILTIN_INTEGERS(BUILTIN_SCALAR, popcount)
// As an int a narrow number would have more bits.
BUILTIN_NARROW(BUILTIN_SCALARS, mul_hi)
BUILTIN_NARROW(BUILTIN_SCALAR, clz)
BUILTIN_NARROW(BUILTIN_SCALAR, popcount)
BUILTIN_FLOATS(BUILTIN_SCALAR, cbrt)
BUILTIN_FLOATS(BUILTIN_SCALAR, log10)
BUILTIN_FLOATS(BUILTIN_SCALARS, atan2)
BUILTIN_FLOATS(BUILTIN_SCALARS, fmod)

// Of vectors and a number.
#define BUILTIN_WITH_SCALAR(width, name, type) type##width BUILTIN_CONST name(type##width, type);
#define BUILTIN_WITH_SCALARS(width, name, type) type##width BUILTIN_CONST name(type##width, type, type);
#define BUILTIN_VECTORS(declare, ...) \
    declare(2, __VA_ARGS__) declare(3, __VA_ARGS__) declare(4, __VA_ARGS__) declare(8, __VA_ARGS__) declare(16, __VA_ARGS__)
#define BUILTIN_MIXED_BINARY(name, type) BUILTIN_VECTORS(BUILTIN_WITH_SCALAR, name, type)
#define BUILTIN_MIXED_TERNARY(name, type) BUILTIN_VECTORS(BUILTIN_WITH_SCALARS, name, type)
BUILTIN_FLOATS(BUILTIN_MIXED_BINARY, fmax)
BUILTIN_FLOATS(BUILTIN_MIXED_BINARY, fmin)
BUILTIN_NUMBERS(BUILTIN_MIXED_BINARY, max)
BUILTIN_NUMBERS(BUILTIN_MIXED_BINARY, min)
BUILTIN_NUMBERS(BUILTIN_MIXED_TERNARY, clamp)

// Geometry.
#define BUILTIN_GEOMETRY(name, type) \
    type BUILTIN_CONST dot(type, type); \
    type BUILTIN_CONST dot(type##2, type##2); \
    type BUILTIN_CONST dot(type##3, type##3); \
    type BUILTIN_CONST dot(type##4, type##4); \
    type##3 BUILTIN_CONST cross(type##3, type##3); \
    type##4 BUILTIN_CONST cross(type##4, type##4);
BUILTIN_FLOATS(BUILTIN_GEOMETRY, )

// Choices.
#define BUILTIN_SELECT(width, name, type, by) type##width BUILTIN_CONST select(type##width, type##width, by##width);
#define BUILTIN_SELECTS(type, by) BUILTIN_WIDTHS(BUILTIN_SELECT, select, type, by)
#define BUILTIN_TRUTH(width, name, type) int BUILTIN_CONST name(type##width);
BUILTIN_SELECTS(int, int)
BUILTIN_SELECTS(int, uint)
BUILTIN_SELECTS(uint, int)
BUILTIN_SELECTS(uint, uint)
BUILTIN_SELECTS(long, long)
BUILTIN_SELECTS(long, ulong)
BUILTIN_SELECTS(ulong, long)
BUILTIN_SELECTS(ulong, ulong)
BUILTIN_SELECTS(float, int)
BUILTIN_SELECTS(float, uint)
BUILTIN_WIDTHS(BUILTIN_TRUTH, all, int)
BUILTIN_WIDTHS(BUILTIN_TRUTH, all, long)
BUILTIN_WIDTHS(BUILTIN_TRUTH, any, int)
BUILTIN_WIDTHS(BUILTIN_TRUTH, any, long)
#define BUILTIN_FINITE(width, name, type, truth) truth##width BUILTIN_CONST name(type##width);
BUILTIN_WIDTHS(BUILTIN_FINITE, isfinite, float, int)
#ifdef cl_khr_fp64
BUILTIN_SELECTS(double, long)
BUILTIN_SELECTS(double, ulong)
int BUILTIN_CONST isfinite(double);
BUILTIN_VECTORS(BUILTIN_FINITE, isfinite, double, long)
#endif

// Conversions.
#define BUILTIN_CONVERSION(width, name, type, to) to##width BUILTIN_CONST convert_##to##width(type##width);
#define BUILTIN_CONVERSIONS(to, type) BUILTIN_WIDTHS(BUILTIN_CONVERSION, , type, to)
BUILTIN_NUMBERS(BUILTIN_CONVERSIONS, int)
BUILTIN_NUMBERS(BUILTIN_CONVERSIONS, uint)
BUILTIN_NUMBERS(BUILTIN_CONVERSIONS, long)
BUILTIN_NUMBERS(BUILTIN_CONVERSIONS, ulong)
BUILTIN_NUMBERS(BUILTIN_CONVERSIONS, float)
#ifdef cl_khr_fp64
BUILTIN_NUMBERS(BUILTIN_CONVERSIONS, double)
#endif
BUILTIN_CONVERSIONS(int, ushort)
#define BUILTIN_3(name, type) \
    ushort3 BUILTIN_CONST convert_ushort3(type##3); \
    int3 BUILTIN_CONST convert_int3_sat_rte(type##3); \
    long3 BUILTIN_CONST convert_long3_rte(type##3);
BUILTIN_NUMBERS(BUILTIN_3, )

// Vectors in memory.
#define BUILTIN_MEMORY(width, name, type, space) \
    type##width BUILTIN_PURE vload##width(size_t, const space type *); \
    void BUILTIN vstore##width(type##width, size_t, space type *);
#define BUILTIN_LOAD(width, name, type) type##width BUILTIN_PURE vload##width(size_t, const __constant type *);
#define BUILTIN_VECTORS_AT(name, type) \
    BUILTIN_VECTORS(BUILTIN_MEMORY, , type, __global) \
    BUILTIN_VECTORS(BUILTIN_MEMORY, , type, __local) \
    BUILTIN_VECTORS(BUILTIN_MEMORY, , type, __private) \
    BUILTIN_VECTORS(BUILTIN_LOAD, , type)
BUILTIN_NUMBERS(BUILTIN_VECTORS_AT, )
BUILTIN_VECTORS_AT(, ushort)

// Atomics.
#define BUILTIN_ATOMIC(type, space) \
    type BUILTIN atomic_inc(volatile space type *); \
    type BUILTIN atomic_add(volatile space type *, type); \
    type BUILTIN atomic_sub(volatile space type *, type); \
    type BUILTIN atomic_xchg(volatile space type *, type); \
    type BUILTIN atomic_min(volatile space type *, type); \
    type BUILTIN atomic_max(volatile space type *, type); \
    type BUILTIN atomic_or(volatile space type *, type); \
    type BUILTIN atomic_and(volatile space type *, type); \
    type BUILTIN atomic_cmpxchg(volatile space type *, type, type);
BUILTIN_ATOMIC(int, __global)
BUILTIN_ATOMIC(uint, __global)
BUILTIN_ATOMIC(int, __local)
BUILTIN_ATOMIC(uint, __local)
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
long BUILTIN atom_cmpxchg(volatile __global long *, long, long);
ulong BUILTIN atom_cmpxchg(volatile __global ulong *, ulong, ulong);
#endif
