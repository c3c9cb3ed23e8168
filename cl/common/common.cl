// Types and helpers that every kernel file builds on. The host puts the #defines of
// src/engine/kernels.rs before this file; see there for what each one means.
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

// A number with a fraction, of type `real`: devices without fp64 know no others than those of fp32.
#ifdef DOUBLE
#define NUMBER(x) x
#else
#define NUMBER(x) x##f
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// Where the device has no fma (FAST_FMA is the host's word for it: compilers rarely define FP_FAST_FMAF), a
// product and a sum cost less than an emulated one.
#if FAST_FMA && !defined(NO_FMA)
#define FMA(a, b, c) fma(a, b, c)
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

typedef ACCUM accum;
typedef JOIN(ACCUM, 2) accum2;
typedef JOIN(ACCUM, 3) accum3;
typedef JOIN(ACCUM, 4) accum4;
typedef JOIN(ACCUM, 8) accum8;
typedef MASTER master;
typedef JOIN(MASTER, 3) master3;
#define convert_accum JOIN(convert_, ACCUM)
#define convert_master3 JOIN(convert_, JOIN(MASTER, 3))
#define convert_accum3 JOIN(convert_, JOIN(ACCUM, 3))
#define convert_accum8 JOIN(convert_, JOIN(ACCUM, 8))

typedef REAL real;
typedef JOIN(REAL, 2) real2;
typedef JOIN(REAL, 3) real3;
typedef JOIN(REAL, 4) real4;
typedef JOIN(REAL, 8) real8;
typedef JOIN(STAGED, 4) staged;
#define convert_real3 JOIN(convert_, JOIN(REAL, 3))
#define as_real JOIN(as_, REAL)

// Vectors of VW pairs.
#if VW == 1
typedef REAL realv;
typedef STAGED stagedv;
typedef uint uintv;
typedef ulong ulongv;
#define convert_realv JOIN(convert_, REAL)
#define as_realv JOIN(as_, REAL)
#define convert_uintv convert_uint
#define convert_ulongv convert_ulong
#define as_intv as_int
#define LOADV(p) (*(p))
#define STOREV(v, p) (*(p) = (v))
#define ANY(v) (v)
#define ALL(v) (v)
#else
typedef JOIN(REAL, VW) realv;
typedef JOIN(STAGED, VW) stagedv;
typedef JOIN(uint, VW) uintv;
typedef JOIN(ulong, VW) ulongv;
#define convert_realv JOIN(convert_, JOIN(REAL, VW))
#define as_realv JOIN(as_, JOIN(REAL, VW))
#define convert_uintv JOIN(convert_uint, VW)
#define convert_ulongv JOIN(convert_ulong, VW)
#define as_intv JOIN(as_int, VW)
#define LOADV(p) JOIN(vload, VW)(0, p)
#define STOREV(v, p) JOIN(vstore, VW)(v, 0, p)
#define ANY(v) any_of(v)
#define ALL(v) all_of(v)
#endif

// What comparing vectors of VW gives: 0 or, in a vector, all bits set.
#if defined(DOUBLE) && VW > 1
#define MASK long
#else
#define MASK int
#endif
#if VW == 1
typedef MASK maskv;
#define convert_maskv JOIN(convert_, MASK)
#else
typedef JOIN(MASK, VW) maskv;
#define convert_maskv JOIN(convert_, JOIN(MASK, VW))
// All numbers of a vector, put together by halves.
#define HALVES(v, op) ((v).lo op (v).hi)
#define FOLD_2(v, op) HALVES(v, op)
#define FOLD_4(v, op) FOLD_2(HALVES(v, op), op)
#define FOLD_8(v, op) FOLD_4(HALVES(v, op), op)
#define FOLD_16(v, op) FOLD_8(HALVES(v, op), op)
#define FOLD(v, op) JOIN(FOLD_, VW)(v, op)
// PoCL's own any() and all() are chains of branches.
static inline int any_of(maskv v) { return FOLD(v, |) != 0; }
static inline int all_of(maskv v) { return FOLD(v, &) != 0; }
#endif

// The box and its cell grid, written by src/engine/neighbor/grid/bytes.rs (field by field, in this order).
// In SINGLE `master` values are fixed point; lengths below that are `accum` are in distance units.
typedef struct {
    master lo[3];
    master hi[3];
    master length[3];
#ifdef TRICLINIC
    master tilt[3];          // xy, xz, yz
    master slope[3];         // by how much x follows y, x follows z, y follows z; in SINGLE times 2^58
#endif
    accum inverse_length[3]; // per unit of master
    accum inverse_cell[3];   // per unit of master
    accum to_staged[3];      // staged units per unit of master (MIXED)
    real unit[3];            // distance of a staged unit; DOUBLE: the modulus
    real unit_rest[3];       // what fp32 leaves of it; DOUBLE: 1 / modulus, 0 where no images count
#ifdef TRICLINIC
    real shear[3];           // the slopes of distances
    real shear_rest[3];      // what fp32 leaves of them
#endif
    real trigger;            // where the box changes during a launch: how far an atom may come in it, squared (cl/step/faces.cl)
    int cells[3];            // of the box
    int replicas[3];         // how many copies of the box the lists see; 1 but for tiny boxes
    int total[3];            // cells times replicas
    int stencil[3];          // how many cells the longest list cutoff reaches
    int periodic[3];         // positions wrap
    int images[3];           // lists reach across the faces
    int moduli[3];           // how many moduli make the box and its copies; 0 where no images count
    int drift[3];            // staged units that the middle of the box has moved by since lists were built (MIXED)
} Box;

// Where functions read the box: a constant of the launch, but where that makes several steps between which it changes (cl/force/whole_steps.cl).
#if defined(STEPS) && (defined(BOX_MOVES) || defined(BOX_CHANGES))
#define BOX_SPACE __global
#else
#define BOX_SPACE __constant
#endif

// What one work-item goes through by itself, once per step: its instructions come from far away, so few of them are fast.
#define CALLED __attribute__((noinline)) static
#define ROLLED _Pragma("unroll 1")

// The body of a long kernel. PoCL makes several functions of each kernel, and each contains all that is inline. There (BODIES_APART) a body is a
// function by itself, which is compiled once. The kernel tells it the place of the work-item, and it has no pointer to local memory.
//   FIRST_CALLS         for a body that works for a range of work-items: there the first of a group calls it for all
//   CALLED_FOR          the range: (the first, the one behind the last)
//   EACH_CALLED(i, range)   `i` in turns; one where each work-item calls it for itself
#if defined(BODIES_APART) && !defined(NO_PRIVATE)
#define BODY __attribute__((noinline)) static
#define FIRST_CALLS if (get_local_id(0) > 0) return;
#define CALLED_FOR ((uint2)((uint)get_global_id(0)) + (uint2)(0, (uint)get_local_size(0)))
#define EACH_CALLED(i, range) for (uint i = (range).x; i < (range).y; i++)
#else
#define BODY ALWAYS_INLINE
#define FIRST_CALLS
#define CALLED_FOR ((uint2)((uint)get_global_id(0)) + (uint2)(0, 1))
#define EACH_CALLED(i, range) const uint i = (range).x; if (i < (range).y)
#endif

// Image counts, 21 bits per axis, offset by half their range.
#define IMAGE_BITS 21
#define IMAGE_ZERO (1L << (IMAGE_BITS - 1))
#define IMAGE_MASK ((1L << IMAGE_BITS) - 1)
static inline long image_of(long packed, int axis) {
    return ((packed >> (axis * IMAGE_BITS)) & IMAGE_MASK) - IMAGE_ZERO;
}
static inline long pack_image(long x, long y, long z) {
    return ((x + IMAGE_ZERO) & IMAGE_MASK) | (((y + IMAGE_ZERO) & IMAGE_MASK) << IMAGE_BITS) |
           (((z + IMAGE_ZERO) & IMAGE_MASK) << (2 * IMAGE_BITS));
}

// Where slot k of atom i is in a set of slots (cl/force/partial_forces.cl), with `room` for so many of an atom: on CPUs, whose atoms share
// lists, those of an atom are together.
#if CLUSTER > 1
#define SLOT_AT(set, k, i, room, stride) (((set) * (stride) + (i)) * (room) + (k))
#else
#define SLOT_AT(set, k, i, room, stride) (((set) * (room) + (k)) * (stride) + (i))
#endif

// Words of the status buffer.
#define STATUS_KEPT 0    // atoms still inside the box
#define STATUS_LONGEST 1 // longest neighbour list, where one was too long
#define STATUS_BAD 2     // bit 0: some position is not a number; the others: how many are too far away
#define STATUS_TILES 3   // words that all tiles take together
#define STATUS_TILE_PARTS 4 // parts of the largest tile, where it had too many
#define STATUS_HALT 5    // the step at which the host must act, NEVER if none
#define STATUS_BONDS 6   // what is the matter with some bond, bits of BOND_...
#define STATUS_ATOM 7    // the least ID of an atom with such a bond
#define STATUS_APART 8   // not 0: the work-groups of a launch did not come together (barrier.cl), which was to make steps or a rebuild
#define APART_IN_STEPS 1
#define APART_IN_ORDER 2
#define APART_FACES 3      // or faces of the box would follow the atoms, which is the host's
#define STATUS_CYCLE 9   // the cycle that is under way, and the step that it began at
#define STATUS_BEGUN 10
#define STATUS_LOG 11    // the steps at which the last LOG cycles began
#define LOG 32
#define STATUS_SLOTS 43  // neighbours within the cutoff of an atom, where that has no room for so many (cl/force/partial_forces.cl)
#define STATUS_DENSE 44  // not 0: a density went beyond its table (cl/force/first_pass.cl)

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
// Bonds: a long one, and one that may lose its other atom, is worth a warning, the others halt the run: for good, or until the host has
// taken away one that has snapped.
#define BOND_WHOLE 0
#define BOND_LONG 1
#define BOND_BROKEN 2
#define BOND_MISSING 4
#define BOND_FAR 8
#define BOND_LET_GO 16
#define BOND_SNAPPED 32
static inline void report_bond(__global uint *status, uint step, uint what, uint tag) {
    atomic_or(&status[STATUS_BONDS], what);
    if (what == BOND_LONG || what == BOND_LET_GO) return;
    atomic_min(&status[STATUS_ATOM], tag);
    halt(status, step);
}
// For kernels that may halt at their own step.
static inline int halted_before(__global const uint *status, uint step) {
    return status[STATUS_HALT] < step;
}

// Rounds: where the device rebuilds for itself, the host enqueues rebuilds and the steps behind them without knowing of which
// step they are. It numbers them from CYCLES on; a kernel that is given a cycle for a step takes that from the status, and does
// nothing where the cycle has not come (src/engine/simulation/self_rebuild.rs). The steps before it begin it, in cl/step/barrier.cl.
#define CYCLES 0x80000000u
static inline int passed_over(__global const uint *status, uint *step) {
    if (*step >= CYCLES) {
        if (status[STATUS_CYCLE] != *step) return 1;
        *step = status[STATUS_BEGUN];
    }
    return halted_before(status, *step) || status[STATUS_APART] >= APART_IN_ORDER;
}

// A way in distance units as one of master positions, which in SINGLE is rounded to their fixed point.
#ifdef SINGLE
#define MASTER_OF(way) convert_long3_rte((way) * (float3)(MASTER_PER_LENGTH))
#else
#define MASTER_OF(way) (way)
#endif

// Where a master position is in the straightened box: the orthogonal one of the same corners, in which it is at the same
// fractions of the edges. Cells, wrapping and staging are there. 32-bit staged units are 2^16 master units in SINGLE, so
// what is lost of the products there is nothing.
#ifndef TRICLINIC
#define STRAIGHTEN(x, box) (x)
#else
#ifdef SINGLE
#define FOLLOW(d, slope) (mul_hi(d, slope) << 6)
#else
#define FOLLOW(d, slope) ((slope) * (d))
#endif
#define STRAIGHTEN(x, box) straighten(x, box)
static inline master3 straighten(master3 x, BOX_SPACE const Box *box) {
    const master dz = x.z - box->lo[2];
    x.y -= FOLLOW(dz, box->slope[2]);
    x.x -= FOLLOW(x.y - box->lo[1], box->slope[0]) + FOLLOW(dz, box->slope[1]);
    return x;
}
#endif

// 1.5 * 2^52: adding it rounds a double to a whole number, which the lower bits of the sum are.
#define ROUNDER 6755399441055744.0

// A master position, straightened, as pair kernels read it. Except in DOUBLE these are fixed-point numbers modulo 2^32
// units, and a whole number of moduli makes the box (src/engine/neighbor/grid.rs): the difference of two
// atoms is exact wherever in the box they are, and that of the nearest images without further ado.
static inline staged stage(master3 x, uint type, BOX_SPACE const Box *box) {
#if defined(SINGLE)
    return (staged)(convert_uint3(as_ulong3(x) >> 16), type);
#elif defined(MIXED)
    // To whole units, whose lowest 32 bits count. On CPUs a conversion that rounds costs several times as much.
    const double3 units = x * (double3)(box->to_staged[0], box->to_staged[1], box->to_staged[2]) + ROUNDER;
    return (staged)(convert_uint3(as_ulong3(units)), type);
#else
    return (staged)(x, (double)type);
#endif
}

static inline uint staged_type(staged a) {
    return (uint)a.w;
}

// Differences of staged coordinates in distance units, of VW atoms at once, along an axis whose `unit` and
// `unit_rest` these are. The unit must not be rounded to fp32: that would stretch all lengths alike, and show in
// energies. In DOUBLE, adding and subtracting ROUNDER rounds to a whole number.
#ifdef DOUBLE
#define LENGTH(type, d, unit, rest) \
    FMA(-(type)(unit), FMA(d, (type)(rest), (type)(ROUNDER)) - (type)(ROUNDER), d)
#define SEPARATION(mine, theirs, unit, rest) LENGTH(realv, (mine) - (theirs), unit, rest)
#else
#define LENGTH(type, d, unit, rest) fma(d, (type)(unit), (d) * (type)(rest)) // a product and a sum would lose the rest
#define SEPARATION(mine, theirs, unit, rest) LENGTH(realv, convert_realv(as_intv((mine) - (theirs))), unit, rest)
#endif

// From differences along the edges to distances in space, where the edges lean.
#ifndef TRICLINIC
#define SHEAR_OF(box)
#define SHEAR(type, dx, dy, dz)
#else
#define SHEAR_OF(box) \
    const real shear_xy = (box)->shear[0], shear_xz = (box)->shear[1], shear_yz = (box)->shear[2]; \
    const real rest_xy = (box)->shear_rest[0], rest_xz = (box)->shear_rest[1], rest_yz = (box)->shear_rest[2];
#ifdef DOUBLE
#define FOLLOWED(type, d, by, shear, rest) FMA(by, (type)(shear), d)
#else
#define FOLLOWED(type, d, by, shear, rest) FMA(by, (type)(shear), FMA(by, (type)(rest), d))
#endif
#define SHEAR(type, dx, dy, dz) \
    dx = FOLLOWED(type, dx, dy, shear_xy, rest_xy); \
    dx = FOLLOWED(type, dx, dz, shear_xz, rest_xz); \
    dy = FOLLOWED(type, dy, dz, shear_yz, rest_yz);
#endif

// a - b in distance units.
static inline real3 displacement(staged a, staged b, BOX_SPACE const Box *box) {
#if defined(DOUBLE)
    const real3 d = (a - b).xyz;
#else
    const real3 d = convert_real3(as_int4(a - b).xyz);
#endif
    real3 r = (real3)(LENGTH(real, d.x, box->unit[0], box->unit_rest[0]), LENGTH(real, d.y, box->unit[1], box->unit_rest[1]),
                      LENGTH(real, d.z, box->unit[2], box->unit_rest[2]));
    SHEAR_OF(box)
    SHEAR(real, r.x, r.y, r.z)
    return r;
}

// How far an atom has come from what is kept of its position when lists are built. While a box changes, LAMMPS measures
// that in space; in fixed point it is along the edges and from the middle of the box, which may move by many units where it
// is far from the origin. BOX_CHANGES: some fix changes it between rebuilds.
#if defined(TRICLINIC) && defined(DOUBLE)
#define KEPT_IN_SPACE // and not straightened
#define COME(x, s, kept, box) ((x) - (kept).xyz)
#else
#if defined(MIXED) && defined(BOX_CHANGES)
#define DRIFT(box) (staged)((uint)(box)->drift[0], (uint)(box)->drift[1], (uint)(box)->drift[2], 0)
#define COME(x, s, kept, box) displacement((s) - DRIFT(box), kept, box)
#else
#define COME(x, s, kept, box) displacement(s, kept, box)
#endif
#endif

static inline real square(real3 d) {
    return FMA(d.z, d.z, FMA(d.y, d.y, d.x * d.x));
}

// The atoms that a group of work-items adds up.
static inline void part_of(uint group, uint groups, uint n, uint *first, uint *last) {
    const uint share = (n + groups - 1) / groups;
    *first = min(group * share, n);
    *last = min(*first + share, n);
}
static inline void part_of_group(uint n, uint *first, uint *last) {
    part_of(get_group_id(0), get_num_groups(0), n, first, last);
}

// Stores the staged position of atom i, and its copies where the lists see several boxes. Copy r is at
// r * stride, displaced by as many box lengths as the digits of r say.
static inline void store_staged(__global staged *position, uint stride, uint i, staged s, BOX_SPACE const Box *box) {
    position[i] = s;
    const int rx = box->replicas[0], ry = box->replicas[1], rz = box->replicas[2];
    if (rx * ry * rz == 1) return;
    uint r = 0;
    for (int z = 0; z < rz; z++)
        for (int y = 0; y < ry; y++)
            for (int x = 0; x < rx; x++, r++) {
#ifdef DOUBLE
                position[r * stride + i] = s + (staged)(x * box->length[0], y * box->length[1], z * box->length[2], 0);
#else
                position[r * stride + i] = s + (staged)((uint)(((ulong)x << 32) / rx), (uint)(((ulong)y << 32) / ry),
                                                        (uint)(((ulong)z << 32) / rz), 0);
#endif
            }
}

// Stores where atom i is, and its staged position, which it returns.
static inline staged store_position(master3 at, uint type, uint i, __global master *x, __global staged *position,
                                    BOX_SPACE const Box *box, uint stride) {
    vstore3(at, i, x);
    const staged s = stage(STRAIGHTEN(at, box), type, box);
    store_staged(position, stride, i, s, box);
    return s;
}

// An atom that has come farther than `trigger` (squared) from where it was when the list was built halts the run at `step`.
static inline void watch(master3 at, staged s, staged built, BOX_SPACE const Box *box, __global uint *status, uint step,
                         real trigger) {
    if (!(square(COME(at, s, built, box)) <= trigger)) halt(status, step);
}

// A velocity with its atom's ID as pair kernels read them: the bits of three numbers of type `real`, and the ID.
static inline staged stage_velocity(accum3 v, uint tag) {
#ifdef DOUBLE
    return (staged)(v, (double)tag);
#else
    return (staged)(as_uint3(convert_real3(v)), tag);
#endif
}

// Stores it for each copy of the box.
static inline void store_velocity(__global staged *velocity, uint stride, uint i, staged s, BOX_SPACE const Box *box) {
    const uint copies = box->replicas[0] * box->replicas[1] * box->replicas[2];
    for (uint r = 0; r < copies; r++) velocity[r * stride + i] = s;
}
