// The neighbour loop, once for all pair styles. A style supplies, in cl/pair/<style>.cl,
//   realv pair_eval(realv rsq, const realv *c, realv *energy)      returns F / r, sets E
// for VW pairs at once, from its COEFFICIENTS numbers c for these types. A style that defines SAMPLED gets
// what lies behind the coefficients in `table` as well, as `__global const real *samples` before `energy`.
//   VW           pairs handled at once, as one vector
//   TILE         lists name places in local memory, CROWD of them
//   LANES        work-items per atom (a power of two)
//   PAIR_LOCAL   work-items per group (BLOCK_LOCAL with TILE)
//   TALLY        also energy and virial per atom
//   FUSED        the kernel that makes a whole step instead (after step.cl)
// With one type the coefficients are constants (CUTSQ, C0, C1, ...); else they are rows
// (cutoff^2, c[0], c[1], ...) of `table`, one per ordered pair of types.

#if VW == 1
#define LOAD_LIST(p) (*(p))
#define GATHER(m) m(j)
#define SUM(a) (a)
#elif VW == 2
#define LOAD_LIST(p) vload2(0, p)
#define GATHER(m) m(j.s0), m(j.s1)
#define SUM(a) (a.s0 + a.s1)
#elif VW == 4
#define LOAD_LIST(p) vload4(0, p)
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3)
#define SUM(a) ((a.s0 + a.s1) + (a.s2 + a.s3))
#elif VW == 8
#define LOAD_LIST(p) vload8(0, p)
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3), m(j.s4), m(j.s5), m(j.s6), m(j.s7)
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) SUM8(a)
#elif VW == 16
#define LOAD_LIST(p) vload16(0, p)
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3), m(j.s4), m(j.s5), m(j.s6), m(j.s7), \
                  m(j.s8), m(j.s9), m(j.sa), m(j.sb), m(j.sc), m(j.sd), m(j.se), m(j.sf)
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) (SUM8(a.lo) + SUM8(a.hi))
#endif

// Positions and types of the VW atoms j, as one vector per component: whole positions are loaded, and
// transposed in registers.
#if VW == 8 || VW == 16
#define staged16 JOIN(STAGED, 16)
#define QUAD(a, b, c, d) (staged16)(position[a], position[b], position[c], position[d])
#endif
#if VW == 8
#define LOAD_POSITIONS \
    const staged16 q0 = QUAD(j.s0, j.s1, j.s2, j.s3), q1 = QUAD(j.s4, j.s5, j.s6, j.s7); \
    const stagedv x = (stagedv)(q0.s048c, q1.s048c), y = (stagedv)(q0.s159d, q1.s159d); \
    const stagedv z = (stagedv)(q0.s26ae, q1.s26ae), w = (stagedv)(q0.s37bf, q1.s37bf);
#elif VW == 16
#define LOAD_POSITIONS \
    const staged16 q0 = QUAD(j.s0, j.s1, j.s2, j.s3), q1 = QUAD(j.s4, j.s5, j.s6, j.s7); \
    const staged16 q2 = QUAD(j.s8, j.s9, j.sa, j.sb), q3 = QUAD(j.sc, j.sd, j.se, j.sf); \
    const stagedv x = (stagedv)(q0.s048c, q1.s048c, q2.s048c, q3.s048c); \
    const stagedv y = (stagedv)(q0.s159d, q1.s159d, q2.s159d, q3.s159d); \
    const stagedv z = (stagedv)(q0.s26ae, q1.s26ae, q2.s26ae, q3.s26ae); \
    const stagedv w = (stagedv)(q0.s37bf, q1.s37bf, q2.s37bf, q3.s37bf);
#else
#define X_OF(k) position[k].x
#define Y_OF(k) position[k].y
#define Z_OF(k) position[k].z
#define W_OF(k) position[k].w
#define LOAD_POSITIONS \
    const stagedv x = (stagedv)(GATHER(X_OF)), y = (stagedv)(GATHER(Y_OF)); \
    const stagedv z = (stagedv)(GATHER(Z_OF)), w = (stagedv)(GATHER(W_OF));
#endif
#define ENTRY_OF(k) table[k + entry]
#ifdef SAMPLED
#define PAIR_EVAL(rsq, c, energy) pair_eval(rsq, c, table + TYPES * TYPES * (COEFFICIENTS + 1), energy)
#else
#define PAIR_EVAL(rsq, c, energy) pair_eval(rsq, c, energy)
#endif

// What a work-item has added up so far.
typedef struct {
    realv fx, fy, fz;
#if TALLY
    realv energy, xx, yy, zz, xy, xz, yz;
#endif
} Sums;

// Adds VW pairs of an atom of type `mine`, with separations d and the other atoms' types.
static inline void add_pairs(Sums *sums, realv dx, realv dy, realv dz, uint mine, uintv theirs,
                             __global const real *table) {
    const realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx));
#if TYPES > 1
    realv c[COEFFICIENTS], cutsq;
    {
        const uintv j = (mine - 1) * (TYPES * (COEFFICIENTS + 1)) + (theirs - 1) * (COEFFICIENTS + 1); // what GATHER goes by
        uint entry = 0;
        cutsq = (realv)(GATHER(ENTRY_OF));
        for (entry = 1; entry <= COEFFICIENTS; entry++) c[entry - 1] = (realv)(GATHER(ENTRY_OF));
    }
#else
    const realv c[COEFFICIENTS] = CONSTANTS;
    const real cutsq = CUTSQ;
#endif
    RETURN_UNLESS(rsq < cutsq)
    realv energy;
    realv f = PAIR_EVAL(rsq, c, &energy);
    // A select, not a branch: pairs between the cutoff and the skin cost nothing extra.
    ZERO_BEYOND(f, rsq, cutsq)
    sums->fx = FMA(dx, f, sums->fx);
    sums->fy = FMA(dy, f, sums->fy);
    sums->fz = FMA(dz, f, sums->fz);
#if TALLY
    ZERO_BEYOND(energy, rsq, cutsq)
    sums->energy += energy;
    sums->xx = FMA(dx * dx, f, sums->xx);
    sums->yy = FMA(dy * dy, f, sums->yy);
    sums->zz = FMA(dz * dz, f, sums->zz);
    sums->xy = FMA(dx * dy, f, sums->xy);
    sums->xz = FMA(dx * dz, f, sums->xz);
    sums->yz = FMA(dy * dz, f, sums->yz);
#endif
}

#define PARKED_SUMS(size) \
    PARKING(realv, parked_x, size) \
    PARKING(realv, parked_y, size) \
    PARKING(realv, parked_z, size)
#define PARK_SUMS PARK(parked_x, sums.fx) PARK(parked_y, sums.fy) PARK(parked_z, sums.fz)

static inline real3 force_of(const Sums *s) {
    return (real3)(SUM(s->fx), SUM(s->fy), SUM(s->fz));
}
#if TALLY
// Half of each pair: the other half is tallied at the other atom.
static inline real8 tallies_of(const Sums *s) {
    return (real8)(SUM(s->energy), SUM(s->xx), SUM(s->yy), SUM(s->zz), SUM(s->xy), SUM(s->xz), SUM(s->yz), 0) / 2;
}
#endif

// The kernels: PAIR_ARGUMENTS in, an atom's force out. What becomes of it is the same for every layout.
#ifdef FUSED
// A whole step, and the first half of the next one: forces from the staged positions, the rest of the kicks, the
// drift into the other buffer of staged positions. `step` is the step whose forces these are; a reason to
// rebuild is one of the step after it.
#define PAIR_KERNEL whole_step
#define OUTPUT_ARGUMENTS \
    ATOM_ARGUMENTS, __global staged *restrict moved, __global const staged *restrict built_at, \
    __global uint *restrict status, uint step, real trigger, int check
#define OUTPUT(i, force_, tally_) { \
    Atom a = LOAD_ATOM(i, force_); \
    const Here now = HERE(row, step), then = HERE(next_row, step + 1); \
    FORCE_STAGES(&a, &now) \
    FINAL_STAGES(&a, &now) \
    INITIAL_STAGES(&a, &then) \
    store_moved(a, i, x, v, moved, built_at, box, status, step + 1, trigger, check, stride); \
}
#else
#define OUTPUT_ARGUMENTS \
    __global real *restrict force, __global real *restrict tally, __global const uint *restrict status, uint step
#if TALLY
#define PAIR_KERNEL pair_force_tally
#define OUTPUT(i, force_, tally_) { \
    vstore3(force_, i, force); \
    vstore8(tally_, i, tally); \
}
#else
#define PAIR_KERNEL pair_force
#define OUTPUT(i, force_, tally_) vstore3(force_, i, force);
#endif
#endif
#define PAIR_ARGUMENTS \
    __global const staged *restrict position, __global const uint *restrict list, \
    __global const uint *restrict neighbors, __global const uint *restrict blocks, \
    __global const staged *restrict centers, __global const uint *restrict tiles, \
    __global const real *restrict table, __constant const Box *box, uint first, uint n, uint rows, uint stride, \
    uint parts

#if TILE

// The tile: a work-group takes the atoms of a block of cells. What their lists name comes into local memory
// once, relative to the middle of the block; an entry is a 16-bit offset there. What does not fit is
// taken in turn, and so are the atoms of a block that has more of them than the group work-items.
__kernel __attribute__((reqd_work_group_size(BLOCK_LOCAL, 1, 1)))
void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS) {
#define PLACE(k) BANKED(k, CROWD + 1)
    __local real4 crowd[BANKED_ROOM(CROWD + 1)];
    PARKED_SUMS(BLOCK_LOCAL)
    LANE_SUMS(force_sums, 3)
#if TALLY
    LANE_SUMS(tally_sums, 8)
#endif
    if (halted(status, step)) return;
    const uint lid = get_local_id(0);
    const uint4 block = vload4(get_group_id(0), blocks);
    const uint begin = max(block.x, first), end = min(block.y, first + n);
    if (begin >= end) return; // for the whole group
    const staged center = centers[get_group_id(0)];
    if (lid == 0) crowd[PLACE(CROWD)] = (real4)((real)1e10, (real)1e10, (real)1e10, 1); // out of all reach
    const uint items = (end - begin) * LANES;
    const uint lane = MODULO(lid, LANES);
    for (uint base = 0; base < items; base += BLOCK_LOCAL) {
        const int active = base + lid < items;
        const uint i = begin + (active ? (base + lid) / LANES : 0);
        const staged mine = position[i];
        const real3 me = displacement(mine, center, box);
        const uint my_type = staged_type(mine);
        __global const uint *entries = list + list_begin((i - first) * LANES + lane, rows);
        Sums sums = {0};
        for (uint window = 0; window < block.w; window += CROWD) {
            if (base == 0 || block.w > CROWD) {
                barrier(CLK_LOCAL_MEM_FENCE);
                const uint held = min((uint)CROWD, block.w - window);
                // Four at a time, so that their loads need not wait for one another.
                for (uint first_k = lid; first_k < held; first_k += 4 * BLOCK_LOCAL) {
                    staged others[4];
SHORT_LOOP
                    for (uint t = 0; t < 4; t++)
                        others[t] = position[tiles[block.z + window + min(first_k + t * BLOCK_LOCAL, held - 1)]];
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        const uint k = min(first_k + t * BLOCK_LOCAL, held - 1);
                        crowd[PLACE(k)] = (real4)(displacement(others[t], center, box), (real)staged_type(others[t]));
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            NEEDLESS_BARRIER
            const uint count = active ? neighbors[((window / CROWD) * stride + i) * LANES + lane] : 0;
            uint4 next = count > 0 ? LOAD4(entries) : (uint4)(0);
            for (uint k = 0; k < count; k += 8) {
                const uint4 packed = next;
                entries += LIST_WIDTH * WORDS;
                if (k + 8 < count) next = LOAD4(entries);
                const uint4 low = packed & 0xffff, high = packed >> 16;
#define CROWD_X(k) (*(__local const real4 *)((__local const char *)crowd + k)).x
#define CROWD_Y(k) (*(__local const real4 *)((__local const char *)crowd + k)).y
#define CROWD_Z(k) (*(__local const real4 *)((__local const char *)crowd + k)).z
#define CROWD_W(k) (uint)(*(__local const real4 *)((__local const char *)crowd + k)).w
#define ADD_CROWD(...) { \
                    const uintv j = (uintv)(__VA_ARGS__); \
                    add_pairs(&sums, me.x - (realv)(GATHER(CROWD_X)), me.y - (realv)(GATHER(CROWD_Y)), \
                              me.z - (realv)(GATHER(CROWD_Z)), my_type, (uintv)(GATHER(CROWD_W)), table); \
                    PARK_SUMS \
                }
#if VW == 8
                ADD_CROWD(low.x, high.x, low.y, high.y, low.z, high.z, low.w, high.w)
#elif VW == 4
                ADD_CROWD(low.x, high.x, low.y, high.y)
                ADD_CROWD(low.z, high.z, low.w, high.w)
#elif VW == 2
                ADD_CROWD(low.x, high.x)
                ADD_CROWD(low.y, high.y)
                ADD_CROWD(low.z, high.z)
                ADD_CROWD(low.w, high.w)
#elif VW == 1
                ADD_CROWD(low.x)
                ADD_CROWD(high.x)
                ADD_CROWD(low.y)
                ADD_CROWD(high.y)
                ADD_CROWD(low.z)
                ADD_CROWD(high.z)
                ADD_CROWD(low.w)
                ADD_CROWD(high.w)
#else
#error "a chunk of eight entries is no multiple of VW"
#endif
            }
            NEEDLESS_BARRIER
        }
        real3 total = force_of(&sums);
        ADD_LANES_3(force_sums, total, lane)
#if TALLY
        real8 tallies = tallies_of(&sums);
        ADD_LANES_8(tally_sums, tallies, lane)
#endif
        if (active && lane == 0) OUTPUT(i, total, tallies)
    }
}

#else

// Plain Verlet lists: LANES work-items share an atom, each with a list of its own; an entry is a place in `position`.
__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS) {
    LANE_SUMS(force_sums, 3)
#if TALLY
    LANE_SUMS(tally_sums, 8)
#endif
    PARKED_SUMS(PAIR_LOCAL)
    const uint item = get_global_id(0);
    const uint lane = MODULO(item, LANES);
    // No early return when halted: PoCL 3.1 loses its way between that and the barriers of the lanes.
    const int active = item / LANES < n && !halted(status, step);
    const uint i = first + (active ? item / LANES : 0);
    const staged me = position[i];
    const uint my_type = staged_type(me);
    __global const uint *entries = list + list_begin(item, rows);
#ifdef BREAK_TEMPORARIES
#define me position[i]
#define ux box->unit[0]
#define uy box->unit[1]
#define uz box->unit[2]
#define mx box->unit_rest[0]
#define my box->unit_rest[1]
#define mz box->unit_rest[2]
#else
    const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
    const real mx = box->unit_rest[0], my = box->unit_rest[1], mz = box->unit_rest[2];
#endif
    Sums sums = {0};
    // A list that was made in several windows has as many counts.
    for (uint part = 0; part < parts; part++) {
        const uint count = active ? neighbors[(part * stride + i) * LANES + lane] : 0;
#pragma unroll UNROLL
        for (uint k = 0; k < count; k += VW, entries += LIST_WIDTH * WORDS) {
            const uintv j = LOAD_LIST(entries);
            LOAD_POSITIONS
            add_pairs(&sums, SEPARATION(me.x, x, ux, mx), SEPARATION(me.y, y, uy, my), SEPARATION(me.z, z, uz, mz),
                      my_type, convert_uintv(w), table);
            PARK_SUMS
        }
        NEEDLESS_BARRIER
    }
    real3 total = force_of(&sums);
    ADD_LANES_3(force_sums, total, lane)
#if TALLY
    real8 tallies = tallies_of(&sums);
    ADD_LANES_8(tally_sums, tallies, lane)
#endif
    if (active && lane == 0) OUTPUT(i, total, tallies)
}
#endif
