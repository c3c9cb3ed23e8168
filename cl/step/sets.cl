// What a fix does with sets of atoms in each step, each set by itself: it adds up some numbers of its atoms and goes on with what it remembers,
// which the functions of these atoms read in the next launch. The macros are those of cl/step/coupling.cl. FEED_AFTER and FEED_BEFORE get what is
// remembered of a set in memory, and in place of the box how many lists have been built in the run.
//   REMEMBERED  how many numbers are remembered of a set, one set behind the other at the beginning of `memory`
//   SET_LANES   work-items that share a set (a power of two, 1 on CPUs)
// The numbers of the atoms of a set stand from first[set] to first[set + 1], the k-th of each at k * stride behind that (STORE_MEASURED).

// `after` them the end of the step whose parameters are `now`, and what comes `before` the positions of the one whose are `next` move.
ALWAYS_INLINE void advance_set(uint set, uint lane, __global const accum *measured, uint stride, __global const uint *first,
                               __global const accum *now, __global const accum *next, __global accum *memory, uint builds,
                               int after, int before, __local accum *shared) {
    __global accum *s = memory + (size_t)set * REMEMBERED;
    accum sums[FEEDBACK_SUMS];
    for (uint k = 0; k < FEEDBACK_SUMS; k++) sums[k] = 0;
    if (after) {
        const uint end = first[set + 1];
        for (uint i = first[set] + lane; i < end; i += SET_LANES)
SHORT_LOOP
            for (uint k = 0; k < FEEDBACK_SUMS; k++) sums[k] += measured[k * stride + i];
#if SET_LANES > 1
        for (uint k = 0; k < FEEDBACK_SUMS; k++) shared[k * SET_LANES + lane] = sums[k];
        for (uint reach = SET_LANES / 2; reach > 0; reach >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lane < reach)
                for (uint k = 0; k < FEEDBACK_SUMS; k++) shared[k * SET_LANES + lane] += shared[k * SET_LANES + lane + reach];
        }
        for (uint k = 0; k < FEEDBACK_SUMS; k++) sums[k] = shared[k * SET_LANES];
#endif
    }
    if (lane > 0) return;
    if (after) FEED_AFTER(s, sums, now, builds)
    if (before) FEED_BEFORE(s, next, builds)
}

#ifndef FUSED
// One work-item or one group of SET_LANES for each set; nothing where the run has halted at `step` or before.
__kernel
#if SET_LANES > 1
__attribute__((reqd_work_group_size(SET_LANES, 1, 1)))
#endif
void advance_sets(__global const accum *restrict measured, uint stride, __global const uint *restrict first, uint sets,
                  uint builds, __global const accum *restrict parameters, uint row, uint next_row, __global accum *restrict memory,
                  __global const uint *restrict status, uint step, int after, int before) {
#if SET_LANES > 1
    __local accum shared[FEEDBACK_SUMS * SET_LANES];
    const uint set = get_group_id(0), lane = get_local_id(0);
#else
    __local accum *const shared = 0;
    const uint set = get_global_id(0), lane = 0;
#endif
    if (set >= sets || halted(status, step)) return;
    advance_set(set, lane, measured, stride, first, parameters + row, parameters + next_row, memory, builds, after,
                before, shared);
}
#endif
