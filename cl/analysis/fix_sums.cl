// What the fixes' functions add up over all atoms when forces are known: sums of forces, energies.
//   MEASURE        ADD_UP of cl/step/integrate.cl has an effect
//   ALL_SUMS       how many sums there are
//   FIRST_SUM, SUMS   those that are asked for: the first one, how many; of many alike fixes those of the `which`-th
//   REDUCE_LOCAL   work-items per group (a power of two, 1 on CPUs)
//   MEASURE_KERNEL   what the kernel is called

// What one atom adds to them.
#define ADD_UP_ATOM(i) { \
    Atom a = LOAD_ATOM(i, vload3(i, force)); \
    const Here now = HERE(row, step); \
    FORCE_STAGES(&a, &now) \
}

// Leaves the sum over a group's work-items in shared[0].
#define ADD_SHARED(shared, lid) \
    for (uint reach = REDUCE_LOCAL / 2; reach > 0; reach >>= 1) { \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (lid < reach) shared[lid] += shared[lid + reach]; \
    }

// Group g takes the g-th part of the atoms and writes its sums from out[first + g * SUMS] on; forces and velocities stay as
// they are. `out` may be the memory of the fixes: of that, no function called here reads what is written.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void MEASURE_KERNEL(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                   __global accum *restrict out, uint first, __global const uint *restrict status, uint step, uint n,
                   uint which) {
    __local accum shared[REDUCE_LOCAL];
    if (halted(status, step)) return;
    const uint lid = get_local_id(0);
    uint begin, end;
    part_of_group(n, &begin, &end);
    accum sums[ALL_SUMS];
    for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0;
    for (uint i = begin + lid; i < end; i += REDUCE_LOCAL) ADD_UP_ATOM(i)
    for (uint k = 0; k < SUMS; k++) {
        shared[lid] = sums[FIRST_SUM + k];
        ADD_SHARED(shared, lid)
        if (lid == 0) out[first + (uint)get_group_id(0) * SUMS + k] = shared[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The same of each atom by itself.
__kernel void measure_atoms_of_fixes(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                                     __global accum *restrict out, __global const uint *restrict status, uint step, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted(status, step)) return;
    const uint which = 0;
    accum sums[ALL_SUMS];
    for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0;
    ADD_UP_ATOM(i)
    for (uint k = 0; k < SUMS; k++) out[i * SUMS + k] = sums[FIRST_SUM + k];
}

// One group adds the sums of all groups, for functions on the device; the host adds those that it asks for.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void add_groups(__global const accum *restrict partial, __global accum *restrict out, uint first, uint groups) {
    __local accum shared[REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    for (uint k = 0; k < SUMS; k++) {
        accum sum = 0;
        for (uint g = lid; g < groups; g += REDUCE_LOCAL) sum += partial[g * SUMS + k];
        shared[lid] = sum;
        ADD_SHARED(shared, lid)
        if (lid == 0) out[first + k] = shared[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
