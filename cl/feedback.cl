// What a fix does with the whole system in each step, on the device: it adds up one number of each atom, and goes on with
// what it remembers, which the functions of its atoms read in the next launch. src/plan/stages.rs writes the calls:
//   MEASURE_ATOM(a, h, out)   the number of an atom (cl/integrate.cl)
//   FEED_AFTER(s, sum, p)     at the end of a step, when velocities have followed the forces
//   FEED_BEFORE(s, p)         before positions move
//   REMEMBERED                how many numbers are remembered, at the beginning of `memory`
//   REDUCE_LOCAL              work-items per group of gather_measured (a power of two, 1 on CPUs)
//   FEEDBACK_LOCAL            and of the one group of advance_feedback

// The numbers of all atoms, where forces and velocities of a step came in launches of their own.
__kernel void measure_atoms(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                            __global accum *restrict measured, uint step, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    MEASURE_ATOM(&a, &now, measured[i])
}

// The sum of group g's part of the numbers, for many atoms.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void gather_measured(__global const accum *restrict measured, __global accum *restrict partial, uint n) {
    __local accum shared[REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    const uint share = (n + (uint)get_num_groups(0) - 1) / (uint)get_num_groups(0);
    const uint first = min((uint)get_group_id(0) * share, n), last = min(first + share, n);
    accum sum = 0;
    for (uint i = first + lid; i < last; i += REDUCE_LOCAL) sum += measured[i];
    shared[lid] = sum;
    for (uint reach = REDUCE_LOCAL / 2; reach > 0; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) shared[lid] += shared[lid + reach];
    }
    if (lid == 0) partial[get_group_id(0)] = shared[0];
}

// One group: with `after` the sum of n numbers and the end of `step`, whose parameters begin at `row`, with `before` the
// beginning of the next one.
__kernel __attribute__((reqd_work_group_size(FEEDBACK_LOCAL, 1, 1)))
void advance_feedback(__global const accum *restrict measured, __global const accum *restrict parameters, uint row,
                      uint next_row, __global accum *restrict memory, __global const uint *restrict status, uint step,
                      int after, int before, uint n) {
    __local accum shared[FEEDBACK_LOCAL];
    const uint lid = get_local_id(0);
    accum sum = 0;
    if (after) {
        // Eight loads at a time are under way.
        accum sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        uint i = lid;
        for (; i + 7 * FEEDBACK_LOCAL < n; i += 8 * FEEDBACK_LOCAL) {
SHORT_LOOP
            for (uint k = 0; k < 8; k++) sums[k] += measured[i + k * FEEDBACK_LOCAL];
        }
        for (; i < n; i += FEEDBACK_LOCAL) sums[0] += measured[i];
        sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
    shared[lid] = sum;
    for (uint reach = FEEDBACK_LOCAL / 2; reach > 0; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) shared[lid] += shared[lid + reach];
    }
    if (lid == 0 && !halted(status, step)) {
        accum s[REMEMBERED];
        for (uint k = 0; k < REMEMBERED; k++) s[k] = memory[k];
        if (after) FEED_AFTER(s, shared[0], parameters + row)
        if (before) FEED_BEFORE(s, parameters + next_row)
        for (uint k = 0; k < REMEMBERED; k++) memory[k] = s[k];
    }
}
