// The lanes of an atom are work-items.
//   I_IN_MEMORY   the force on atom i is kept in memory during the loop, else in registers
//   SHUFFLE       lanes are added up in registers (cl/common/exchange.cl), else in local memory

// `force` may be `position` for all the compiler shall know: else it would keep the i-force in registers.
#if I_IN_MEMORY
#define ALONE
#else
#define ALONE restrict
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) EXCHANGE_GROUP
void lj_force(__global const row4 *ALONE position, __global const uint *ALONE begin,
              __global const uint *ALONE neighbors, __global const uint *ALONE list,
              __global real *force, uint n) {
    const uint item = get_global_id(0);
    const uint lane = item & (LANES - 1);
    const uint i = min(item / LANES, n);
    const uint entries = neighbors[i];
    const row4 me = position[i];
    real fx = 0, fy = 0, fz = 0;
#if I_IN_MEMORY && !THIRD_LAW
    if (i < n) vstore4((row4)(0), i, force);
#endif
    for (uint k = lane; k < entries; k += LANES) {
        const uint j = list[LIST_ENTRY(i, k / LANES, lane)];
        const row4 d = position[j] - me;
        const real rsq = FMA(d.z, d.z, FMA(d.y, d.y, d.x * d.x));
#if THIRD_LAW
        if (rsq >= CUTSQ) continue;
#endif
        const real r6 = rsq * rsq * rsq;
        real f = FMA((real)24, r6, (real)-48) / (r6 * r6 * rsq);
#if !THIRD_LAW
        // A select, not a branch.
        f = rsq < CUTSQ ? f : (real)0;
#endif
        const real x = f * d.x, y = f * d.y, z = f * d.z;
#if THIRD_LAW
        add_to_row(force, j, -x, -y, -z);
#endif
#if I_IN_MEMORY && THIRD_LAW
        add_to_row(force, i, x, y, z);
#elif I_IN_MEMORY
        force[4 * (size_t)i] += x;
        force[4 * (size_t)i + 1] += y;
        force[4 * (size_t)i + 2] += z;
#else
        fx += x;
        fy += y;
        fz += z;
#endif
    }
#if !I_IN_MEMORY
#if SHUFFLE
    for (uint step = LANES / 2; step > 0; step >>= 1) {
        fx += from_lane(fx, step);
        fy += from_lane(fy, step);
        fz += from_lane(fz, step);
    }
#elif LANES > 1
    __local real shared[3 * GROUP];
    const uint lid = get_local_id(0);
    vstore3((real3)(fx, fy, fz), lid, shared);
    for (uint step = LANES / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) vstore3(vload3(lid, shared) + vload3(lid + step, shared), lid, shared);
    }
    const real3 total = vload3(lid, shared);
    fx = total.x;
    fy = total.y;
    fz = total.z;
#endif
    if (i < n && lane == 0) {
#if THIRD_LAW
        add_to_row(force, i, fx, fy, fz);
#else
        vstore4((row4)(fx, fy, fz, 0), i, force);
#endif
    }
#endif
}
