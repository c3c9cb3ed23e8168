// Sums over atoms in a fixed order: group g takes the g-th part of the atoms, its work-items stride
// through it, a tree adds them up; the host adds the groups' results.
//   REDUCE_LOCAL   work-items per group (a power of two, 1 on CPUs)

ALWAYS_INLINE void store_group_sum(accum8 sum, __local accum *shared, __global accum *partial) {
    const uint lid = get_local_id(0);
    vstore8(sum, lid, shared);
    for (uint step = REDUCE_LOCAL / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step) vstore8(vload8(lid, shared) + vload8(lid + step, shared), lid, shared);
    }
    if (lid == 0) vstore8(vload8(0, shared), get_group_id(0), partial);
}

#ifndef TERM // of cl/analysis/group_sums.cl, which goes on from here
// m v v: (0, xx, yy, zz, xy, xz, yz, atoms).
static inline accum8 motion_of(accum3 a, accum mass) {
    const accum3 b = mass * a;
    return (accum8)(0, a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z, 1);
}

// Per-atom (pair energy, xx, yy, zz, xy, xz, yz, bond energy) to group sums.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void reduce_tally(__global const real *restrict tally, __global accum *restrict partial, uint n) {
    __local accum shared[8 * REDUCE_LOCAL];
    uint first, last;
    part_of_group(n, &first, &last);
    accum8 sum = 0;
    for (uint i = first + get_local_id(0); i < last; i += REDUCE_LOCAL) sum += convert_accum8(vload8(i, tally));
    store_group_sum(sum, shared, partial);
}

// Both for a row of thermo output: the tallies' sums and those of m v v of all atoms, one behind the other. Of `groups` in all those from
// `begin` on are launched, and put their sums where they would be if all were.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void reduce_row(__global const real *restrict tally, __global const accum *restrict v, __global const uint *restrict type,
                __global const accum *restrict mass, __global accum *restrict partial, uint begin, uint groups, uint n) {
    __local accum shared[8 * REDUCE_LOCAL];
    uint first, last;
    part_of(begin + get_group_id(0), groups, n, &first, &last);
    accum8 sum = 0, motion = 0;
    for (uint i = first + get_local_id(0); i < last; i += REDUCE_LOCAL) {
        sum += convert_accum8(vload8(i, tally));
        motion += motion_of(vload3(i, v), mass[type[i] - 1]);
    }
    store_group_sum(sum, shared, partial + 8 * begin);
    barrier(CLK_LOCAL_MEM_FENCE);
    store_group_sum(motion, shared, partial + 8 * (groups + begin));
}

// Energies, one per atom, to group sums; seven zeros follow each. Groups as before.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void reduce_energy(__global const real *restrict energy, __global accum *restrict partial, uint begin,
                   uint groups, uint n) {
    __local accum shared[8 * REDUCE_LOCAL];
    uint first, last;
    part_of(begin + get_group_id(0), groups, n, &first, &last);
    accum8 sum = 0;
    for (uint i = first + get_local_id(0); i < last; i += REDUCE_LOCAL) sum.s0 += energy[i];
    store_group_sum(sum, shared, partial + 8 * begin);
}

// Those of m v v of the atoms in `group`; groups of work-items as before.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void reduce_kinetic(__global const accum *restrict v, __global const uint *restrict type,
                    __global const uint *restrict mask, __global const accum *restrict mass,
                    __global accum *restrict partial, uint group, uint begin, uint groups, uint n) {
    __local accum shared[8 * REDUCE_LOCAL];
    uint first, last;
    part_of(begin + get_group_id(0), groups, n, &first, &last);
    accum8 sum = 0;
    for (uint i = first + get_local_id(0); i < last; i += REDUCE_LOCAL) {
        if (!(mask[i] & group)) continue;
        sum += motion_of(vload3(i, v), mass[type[i] - 1]);
    }
    store_group_sum(sum, shared, partial + 8 * begin);
}

// Smallest and largest coordinates of the atoms, (lo x, lo y, lo z, hi x, hi y, hi z) per group, for
// shrink-wrapped faces. Of a box that leans by these slopes those in the straightened box, from its lower corner on.
#ifdef TRICLINIC
#define LEANING , master xy, master xz, master yz, master low_y, master low_z
#define UPRIGHT(x) upright(x, xy, xz, yz, low_y, low_z)
static inline master3 upright(master3 x, master xy, master xz, master yz, master low_y, master low_z) {
    const master dz = x.z - low_z;
    x.y -= FOLLOW(dz, yz);
    x.x = x.x - FOLLOW(x.y - low_y, xy) - FOLLOW(dz, xz);
    return x;
}
#else
#define LEANING
#define UPRIGHT(x) (x)
#endif
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void reduce_extent(__global const master *restrict x, __global master *restrict partial, uint begin, uint n LEANING) {
    __local master shared[6 * REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    x += 3 * (size_t)begin;
    uint first, last;
    part_of_group(n, &first, &last);
    // An empty part repeats the last atom, which changes no extreme.
    master3 lo = UPRIGHT(vload3(min(first, n - 1), x)), hi = lo;
    for (uint i = first + lid; i < last; i += REDUCE_LOCAL) {
        const master3 r = UPRIGHT(vload3(i, x));
        lo = min(lo, r);
        hi = max(hi, r);
    }
    vstore3(lo, 2 * lid, shared);
    vstore3(hi, 2 * lid + 1, shared);
    for (uint step = REDUCE_LOCAL / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step) {
            vstore3(min(vload3(2 * lid, shared), vload3(2 * (lid + step), shared)), 2 * lid, shared);
            vstore3(max(vload3(2 * lid + 1, shared), vload3(2 * (lid + step) + 1, shared)), 2 * lid + 1, shared);
        }
    }
    if (lid == 0) {
        vstore3(vload3(0, shared), 2 * get_group_id(0), partial);
        vstore3(vload3(1, shared), 2 * get_group_id(0) + 1, partial);
    }
}
#endif
