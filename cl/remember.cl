// How a fix that has to know of all atoms goes on with what it remembers (cl/feedback.cl, which says what stands for its functions):
// for kernels of their own, and amid those that make several steps (cl/step.cl).
//   FEEDBACK_LOCAL   work-items of a group that adds up (a power of two, 1 on CPUs)

// Leaves the sum over the first `size` numbers, a power of two, in the first of them.
#define ADD_TREE(shared, lid, size) \
    for (uint reach = (size) / 2; reach > 0; reach >>= 1) { \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (lid < reach) (shared)[lid] += (shared)[lid + reach]; \
    }

#define RECALL(s, memory) \
    accum s[REMEMBERED]; \
    for (uint k = 0; k < REMEMBERED; k++) s[k] = (memory)[k];

// One group: for its first work-item, the sums over n numbers each; the k-th number of the i-th is at k * stride + i.
static inline void add_up(accum *totals, __global const accum *measured, uint stride, uint n, __local accum *shared) {
    const uint lid = get_local_id(0);
    for (uint m = 0; m < FEEDBACK_SUMS; m++) {
        // Eight loads at a time are under way.
        __global const accum *numbers = measured + m * stride;
        accum sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        uint i = lid;
        for (; i + 7 * FEEDBACK_LOCAL < n; i += 8 * FEEDBACK_LOCAL) {
SHORT_LOOP
            for (uint k = 0; k < 8; k++) sums[k] += numbers[i + k * FEEDBACK_LOCAL];
        }
        for (; i < n; i += FEEDBACK_LOCAL) sums[0] += numbers[i];
        const accum sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
#if FEEDBACK_LOCAL == 1
        totals[m] = sum;
#else
        shared[lid] = sum;
        ADD_TREE(shared, lid, FEEDBACK_LOCAL)
        if (lid == 0) totals[m] = shared[0];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}

// For one work-item that has what is remembered: the end of the step whose parameters are `now`, `after` its sums are known, and
// what comes `before` the positions of the one whose are `next` move. Others read it in memory.
static inline void remember(accum *s, __global accum *memory, const accum *totals, __global const accum *now,
                            __global const accum *next, __global Box *box, int after, int before) {
    if (after) FEED_AFTER(s, totals, now, box)
    if (before) FEED_BEFORE(s, next, box)
    for (uint k = 0; k < REMEMBERED; k++) memory[k] = s[k];
}
