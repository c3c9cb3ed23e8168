// The neighbour loop, once for all pair styles. A style supplies, in cl/pair/<style>.cl,
//   realv pair_eval(realv rsq, const realv *c, realv *energy)      returns F / r, sets E
// for VW pairs at once, from its COEFFICIENTS numbers c for these types. A style that defines SAMPLED gets
// what lies behind the coefficients in `table` as well, as `__global const real *samples` before `energy`.
//   VW           pairs handled at once, as one vector
//   LANES        work-items per atom (a power of two)
//   PAIR_LOCAL   work-items per group
//   TALLY        also energy and virial per atom
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

// Two names, so that the timing tells the variants apart.
#if TALLY
#define PAIR_KERNEL pair_force_tally
#else
#define PAIR_KERNEL pair_force
#endif

__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
void PAIR_KERNEL(__global const staged *restrict position, __global const uint *restrict list,
                 __global const uint *restrict neighbors, __global const real *restrict table,
                 __global real *restrict force, __global real *restrict tally,
                 __global const uint *restrict status, uint step, uint first, uint n, uint rows) {
    if (halted(status, step)) return;
    const uint item = get_global_id(0);
    const uint index = item / LANES;
    const uint lane = item & (LANES - 1);
    const uint i = first + index;
    const int active = index < n;
    const uint chunks = active ? (neighbors[i] + VW - 1) / VW : 0;
    const staged me = position[active ? i : first];
    __global const uint *entries = list + list_begin(item, rows);
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
        const realv dx = SEPARATION(me.x, x), dy = SEPARATION(me.y, y), dz = SEPARATION(me.z, z);
        const realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx)) * (real)(QUANTUM * QUANTUM);
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
        const realv pull = PAIR_EVAL(rsq, c, &energy);
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
    real3 total = (real3)(SUM(fx), SUM(fy), SUM(fz)) * (real)QUANTUM;
#if TALLY
    // Half of each pair: the other half is tallied at the other atom.
    const real scale = (real)QUANTUM * (real)QUANTUM / 2;
    real8 tallies = (real8)(SUM(sum_e) / 2, SUM(sxx) * scale, SUM(syy) * scale, SUM(szz) * scale,
                            SUM(sxy) * scale, SUM(sxz) * scale, SUM(syz) * scale, 0);
#endif
#if LANES > 1
    // The lanes of an atom lie side by side; a tree over local memory adds them up.
    __local real shared[3 * PAIR_LOCAL];
    const uint lid = get_local_id(0);
    vstore3(total, lid, shared);
    for (uint step = LANES / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) vstore3(vload3(lid, shared) + vload3(lid + step, shared), lid, shared);
    }
    total = vload3(lid, shared);
#if TALLY
    __local real shared_tally[8 * PAIR_LOCAL];
    vstore8(tallies, lid, shared_tally);
    for (uint step = LANES / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) vstore8(vload8(lid, shared_tally) + vload8(lid + step, shared_tally), lid, shared_tally);
    }
    tallies = vload8(lid, shared_tally);
#endif
#endif
    if (active && lane == 0) {
        vstore3(total, i, force);
#if TALLY
        vstore8(tallies, i, tally);
#endif
    }
}
