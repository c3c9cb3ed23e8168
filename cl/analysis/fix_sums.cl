// What the fixes' functions add up over all atoms when forces are known: sums of forces, energies.
//   MEASURE        ADD_UP of cl/step/integrate.cl has an effect
//   ALL_SUMS       how many sums there are
//   FIRST_SUM, SUMS   those that are asked for: the first one, how many; of many alike fixes those of the `which`-th
//   REDUCE_LOCAL   work-items per group (a power of two, 1 on CPUs)
// The k-th sum of part g of the atoms is at k * groups + g, of atom i at k * stride + i.
//   MEASURE_KERNEL   what the kernel is called

// Leaves the sum over a group's work-items in shared[0].
ALWAYS_INLINE void add_shared(__local accum *shared, uint lid) {
    for (uint reach = REDUCE_LOCAL / 2; reach > 0; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) shared[lid] += shared[lid + reach];
    }
}

// A group takes a part of the atoms, from the `begin`-th of `groups` on, and writes its sums behind out[first]; forces and velocities stay
// as they are. `out` may be the memory of the fixes, for sums of one part: of that, no function called here reads what is written.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void MEASURE_KERNEL(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                   __global accum *restrict out, uint first, __global const uint *restrict status, uint step, uint n,
                   uint which, uint groups, uint begin) {
    __local accum shared[REDUCE_LOCAL];
    if (halted(status, step)) return;
    const uint lid = get_local_id(0), g = begin + get_group_id(0);
    uint from, to;
    part_of(g, groups, n, &from, &to);
    accum sums[ALL_SUMS];
    for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0;
    for (uint i = from + lid; i < to; i += REDUCE_LOCAL) {
        Atom a = LOAD_ATOM(i, vload3(i, force));
        const Here now = HERE(row, step);
        FORCE_STAGES(&a, &now)
    }
    for (uint k = 0; k < SUMS; k++) {
        shared[lid] = sums[FIRST_SUM + k];
        add_shared(shared, lid);
        if (lid == 0) out[first + k * groups + g] = shared[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The same of each atom by itself, from `begin` on.
__kernel void measure_atoms_of_fixes(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                                     __global accum *restrict out, uint stride, __global const uint *restrict status, uint step,
                                     uint begin, uint end, uint which) {
    const uint i = begin + get_global_id(0);
    if (i >= end || halted(status, step)) return;
    accum sums[ALL_SUMS];
    for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    FORCE_STAGES(&a, &now)
    for (uint k = 0; k < SUMS; k++) out[k * stride + i] = sums[FIRST_SUM + k];
}

// A group adds up, of each sum, the numbers from `from` to `to`, which are `stride` apart from those of the next sum.
#define ADD_NUMBERS(numbers, stride, from, to, shared, sum_at) { \
    const uint lid = get_local_id(0); \
    for (uint k = 0; k < SUMS; k++) { \
        accum sum = 0; \
        for (uint i = (from) + lid; i < (to); i += REDUCE_LOCAL) sum += (numbers)[k * (stride) + i]; \
        shared[lid] = sum; \
        add_shared(shared, lid); \
        if (lid == 0) sum_at = shared[0]; \
        barrier(CLK_LOCAL_MEM_FENCE); \
    } \
}

// Where ranks share the atoms: the parts that the borders behind each rank but the last one cut (cl/comm/step_sums.cl).
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void add_cut(__global const accum *restrict numbers, uint stride, __global accum *restrict partial, uint n, uint groups,
             __global const uint *restrict ends) {
    __local accum shared[REDUCE_LOCAL];
    const uint end = ends[get_group_id(0) + 1], g = end / ((n + groups - 1) / groups);
    uint from, to;
    part_of(g, groups, n, &from, &to);
    if (end > from && end < to) ADD_NUMBERS(numbers, stride, from, to, shared, partial[k * groups + g])
}

// One group adds the sums of all parts, for functions on the device; the host adds those that it asks for.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void add_groups(__global const accum *restrict partial, __global accum *restrict out, uint first, uint groups) {
    __local accum shared[REDUCE_LOCAL];
    ADD_NUMBERS(partial, groups, 0, groups, shared, out[first + k])
}
