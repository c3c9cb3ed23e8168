// The neighbour loop, once for all pair styles. A style supplies, in cl/pair/<style>.cl,
//   realv pair_eval(realv rsq, const realv *c, realv *energy)      returns F / r, sets E
// for VW pairs at once, from its COEFFICIENTS numbers c for these types.
//   VW           pairs handled at once, as one vector
//   LANES        work-items per atom (a power of two)
//   PAIR_LOCAL   work-items per group
//   TALLY        also energy and virial per atom
//   FUSED        also the kernel that makes a whole step (after step.cl)
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

// What one work-item of atom i adds to its force; `item` numbers the work-items of this page.
static inline real3 pair_sum(__global const staged *position, __global const uint *list, uint neighbors,
                             __global const real *table, __constant const Box *box, uint item, uint lane, staged me,
                             uint rows, real8 *tallies) {
    const uint chunks = (neighbors + VW - 1) / VW;
    __global const uint *entries = list + list_begin(item, rows);
    const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
    const real mx = box->inverse_modulus[0], my = box->inverse_modulus[1], mz = box->inverse_modulus[2];
    realv fx = 0, fy = 0, fz = 0;
#if TALLY
    realv sum_e = 0, sxx = 0, syy = 0, szz = 0, sxy = 0, sxz = 0, syz = 0;
#endif
#if TYPES > 1
    const uint my_row = (staged_type(me) - 1) * (TYPES * (COEFFICIENTS + 1));
    realv c[COEFFICIENTS];
#else
    const realv c[COEFFICIENTS] = CONSTANTS;
    const real cutsq = CUTSQ;
#endif
#pragma unroll UNROLL
    for (uint chunk = lane; chunk < chunks; chunk += LANES, entries += LIST_WIDTH * VW) {
        const uintv j = LOAD_LIST(entries);
        LOAD_POSITIONS
        const realv dx = SEPARATION(me.x, x, ux, mx), dy = SEPARATION(me.y, y, uy, my), dz = SEPARATION(me.z, z, uz, mz);
        const realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx));
#if TYPES > 1
        const uintv row = my_row + (convert_uintv(w) - 1) * (COEFFICIENTS + 1);
        realv cutsq;
        {
            const uintv j = row; // what GATHER goes by
            uint entry = 0;
            cutsq = (realv)(GATHER(ENTRY_OF));
            for (entry = 1; entry <= COEFFICIENTS; entry++) c[entry - 1] = (realv)(GATHER(ENTRY_OF));
        }
#endif
        realv energy;
        const realv pull = pair_eval(rsq, c, &energy);
        // A select, not a branch: pairs between the cutoff and the skin cost nothing extra.
        const realv f = rsq < cutsq ? pull : (realv)(0);
        fx = FMA(dx, f, fx);
        fy = FMA(dy, f, fy);
        fz = FMA(dz, f, fz);
#if TALLY
        sum_e += rsq < cutsq ? energy : (realv)(0);
        sxx = FMA(dx * dx, f, sxx);
        syy = FMA(dy * dy, f, syy);
        szz = FMA(dz * dz, f, szz);
        sxy = FMA(dx * dy, f, sxy);
        sxz = FMA(dx * dz, f, sxz);
        syz = FMA(dy * dz, f, syz);
#endif
    }
#if TALLY
    // Half of each pair: the other half is tallied at the other atom.
    *tallies = (real8)(SUM(sum_e), SUM(sxx), SUM(syy), SUM(szz), SUM(sxy), SUM(sxz), SUM(syz), 0) / 2;
#endif
    return (real3)(SUM(fx), SUM(fy), SUM(fz));
}

// Begins a kernel over the atoms of a page: LANES work-items for each.
#define PAIR_ITEM \
    const uint item = get_global_id(0); \
    const uint lane = item & (LANES - 1); \
    const int active = item / LANES < n; \
    const uint i = first + (active ? item / LANES : 0); \
    const staged me = position[i];

// Two names, so that the timing tells the variants apart.
#if TALLY
#define PAIR_KERNEL pair_force_tally
#else
#define PAIR_KERNEL pair_force
#endif

__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
void PAIR_KERNEL(__global const staged *restrict position, __global const uint *restrict list,
                 __global const uint *restrict neighbors, __global const real *restrict table,
                 __constant const Box *box, __global real *restrict force, __global real *restrict tally,
                 __global const uint *restrict status, uint step, uint first, uint n, uint rows) {
    LANE_SUMS(sums, 3)
#if TALLY
    LANE_SUMS(tally_sums, 8)
#endif
    if (halted(status, step)) return;
    PAIR_ITEM
    real8 tallies = 0;
    real3 total = pair_sum(position, list, active ? neighbors[i] : 0, table, box, item, lane, me, rows, &tallies);
    ADD_LANES_3(sums, total, lane)
#if TALLY
    ADD_LANES_8(tally_sums, tallies, lane)
#endif
    if (active && lane == 0) {
        vstore3(total, i, force);
#if TALLY
        vstore8(tallies, i, tally);
#endif
    }
}

#ifdef FUSED
// A whole step, and the first half of the next one: forces from the staged positions, the rest of the kicks, the
// drift into the other buffer of staged positions. `step` is the step whose forces these are; a reason to
// rebuild is one of the step after it.
__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
void whole_step(__global const staged *restrict position, __global const uint *restrict list,
                __global const uint *restrict neighbors, __global const real *restrict table,
                __constant const Box *box, ATOM_ARGUMENTS, __global staged *restrict moved,
                __global const staged *restrict built_at, __global uint *restrict status, uint step, real trigger,
                int check, uint stride, uint first, uint n, uint rows) {
    LANE_SUMS(sums, 3)
    if (halted(status, step)) return;
    PAIR_ITEM
    real3 total = pair_sum(position, list, active ? neighbors[i] : 0, table, box, item, lane, me, rows, 0);
    ADD_LANES_3(sums, total, lane)
    if (!active || lane != 0) return;
    Atom a = LOAD_ATOM(i, total);
    FINAL_STAGES(&a)
    INITIAL_STAGES(&a)
    store_moved(a, i, x, v, moved, built_at, box, status, step + 1, trigger, check, stride);
}
#endif
