// What the fixes' functions add up over all atoms when forces are known: sums of forces, energies.
//   MEASURE        ADD_UP of cl/integrate.cl has an effect
//   SUMS           how many sums there are
//   REDUCE_LOCAL   work-items per group (a power of two, 1 on CPUs)

// Group g takes the g-th part of the atoms; forces and velocities stay as they are. The host adds the groups' sums.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void measure_fixes(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                   __global accum *restrict partial, uint step, uint n) {
    __local accum shared[REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    const uint share = (n + (uint)get_num_groups(0) - 1) / (uint)get_num_groups(0);
    const uint first = min((uint)get_group_id(0) * share, n), last = min(first + share, n);
    accum sums[SUMS];
    for (uint k = 0; k < SUMS; k++) sums[k] = 0;
    for (uint i = first + lid; i < last; i += REDUCE_LOCAL) {
        Atom a = LOAD_ATOM(i, vload3(i, force));
        const Here now = HERE(row, step);
        FORCE_STAGES(&a, &now)
    }
    for (uint k = 0; k < SUMS; k++) {
        shared[lid] = sums[k];
        for (uint reach = REDUCE_LOCAL / 2; reach > 0; reach >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < reach) shared[lid] += shared[lid + reach];
        }
        if (lid == 0) partial[get_group_id(0) * SUMS + k] = shared[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
