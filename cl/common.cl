// Types and helpers that every kernel file builds on. The host puts the #defines of
// src/kernels.rs before this file; see there for what each one means.
#pragma OPENCL FP_CONTRACT OFF

// real:   pair arithmetic                         float  float  double
// accum:  velocities, integration, sums           float  double double
// master: one coordinate of the master position   long   double double
// staged: what pair kernels read, (x, y, z, type) uint4  uint4  double4
#if defined(SINGLE)
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : disable // so that fp64 cannot slip in where devices lack it
#endif
#define REAL float
#define STAGED uint
#define ACCUM float
#define MASTER long
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define ACCUM double
#define MASTER double
#ifdef MIXED
#define REAL float
#define STAGED uint
#else
#define REAL double
#define STAGED double
#endif
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// Where the device has no fast fma, a product and a sum cost less than an emulated one.
#if (defined(DOUBLE) && defined(FP_FAST_FMA)) || (!defined(DOUBLE) && defined(FP_FAST_FMAF))
#define FMA(a, b, c) fma(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

typedef ACCUM accum;
typedef JOIN(ACCUM, 3) accum3;
typedef JOIN(ACCUM, 8) accum8;
typedef MASTER master;
typedef JOIN(MASTER, 3) master3;
#define convert_accum JOIN(convert_, ACCUM)
#define convert_accum3 JOIN(convert_, JOIN(ACCUM, 3))
#define convert_accum8 JOIN(convert_, JOIN(ACCUM, 8))

typedef REAL real;
typedef JOIN(REAL, 3) real3;
typedef JOIN(REAL, 4) real4;
typedef JOIN(REAL, 8) real8;
typedef JOIN(STAGED, 4) staged;
#define convert_real3 JOIN(convert_, JOIN(REAL, 3))

// Vectors of VW pairs.
#if VW == 1
typedef REAL realv;
typedef STAGED stagedv;
typedef uint uintv;
#define convert_realv JOIN(convert_, REAL)
#define convert_uintv convert_uint
#define as_intv as_int
#else
typedef JOIN(REAL, VW) realv;
typedef JOIN(STAGED, VW) stagedv;
typedef JOIN(uint, VW) uintv;
#define convert_realv JOIN(convert_, JOIN(REAL, VW))
#define convert_uintv JOIN(convert_uint, VW)
#define as_intv JOIN(as_int, VW)
#endif

// The box and its cell grid, written by src/neighbor/grid.rs (field by field, in this order).
// In SINGLE `master` values are fixed point; lengths below that are `accum` are in distance units.
typedef struct {
    master lo[3];
    master hi[3];
    master length[3];
    master ghost_cutoff;
    accum inverse_length[3]; // per unit of master
    accum inverse_cell[3];   // per unit of master
    int cells[3];            // of the box itself
    int margin[3];           // layers of ghost cells on each side; 0 where the axis has no images
    int extended[3];         // cells + 2 margin
    int stencil[3];          // how many cells the longest list cutoff reaches
    int periodic[3];
} Box;

// Words of the status buffer.
#define STATUS_GHOSTS 0  // ghost atoms wanted (the total of a prefix sum, which is always word 0)
#define STATUS_KEPT 1    // atoms still inside the box
#define STATUS_LONGEST 2 // longest neighbour list, where one was too long
#define STATUS_BAD 3     // some position is not a finite number
#define STATUS_HALT 4    // the step at which the host must act, NEVER if none

// The host enqueues steps ahead of what it has seen. A kernel that finds a reason to stop at its step
// (an atom that moved too far, an array too small, a lost atom) halts: whatever comes later, in this
// step or the next ones, returns at once, until the host has acted and goes on from that very step.
#define NEVER 0xffffffffu
static inline void halt(__global uint *status, uint step) {
    atomic_min(&status[STATUS_HALT], step);
}
static inline int halted(__global const uint *status, uint step) {
    return status[STATUS_HALT] <= step;
}
// For kernels that may halt at their own step.
static inline int halted_before(__global const uint *status, uint step) {
    return status[STATUS_HALT] < step;
}

// A master position as pair kernels read it. Fixed point modulo 2^32 quanta: the difference of two
// atoms nearer than half the range is exact wherever in the box they are.
static inline staged stage(master3 x, uint type) {
#if defined(SINGLE)
    return (staged)(convert_uint3(as_ulong3(x) >> 16), type);
#elif defined(MIXED)
    const double3 quanta = x * INVERSE_QUANTUM;
    return (staged)((uint)convert_long_rte(quanta.x), (uint)convert_long_rte(quanta.y),
                    (uint)convert_long_rte(quanta.z), type);
#else
    return (staged)(x, (double)type);
#endif
}

static inline uint staged_type(staged a) {
    return (uint)a.w;
}

// Differences of staged coordinates, of VW atoms at once, in units of QUANTUM (1 in DOUBLE).
#ifdef DOUBLE
#define SEPARATION(mine, theirs) ((mine) - (theirs))
#else
#define SEPARATION(mine, theirs) convert_realv(as_intv((mine) - (theirs)))
#endif

// a - b in units of QUANTUM (1 in DOUBLE).
static inline real3 displacement(staged a, staged b) {
#if defined(DOUBLE)
    return (a - b).xyz;
#else
    return convert_real3(as_int4(a - b).xyz);
#endif
}
