// How a fix that has to know of all atoms goes on with what it remembers (cl/step/coupling.cl, which says what stands for its functions):
// for kernels of their own, and amid those that make several steps (cl/force/whole_steps.cl).
//   FEEDBACK_LOCAL   work-items of a group that adds up (a power of two, 1 on CPUs)

// Leaves the sums over the first `size` numbers of FEEDBACK_SUMS rows, a power of two, in the first of each.
#define ADD_TREES(rows, lid, size) \
    for (uint reach = (size) / 2; reach > 0; reach >>= 1) { \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (lid < reach) \
            for (uint m = 0; m < FEEDBACK_SUMS; m++) (rows)[m * (size) + lid] += (rows)[m * (size) + lid + reach]; \
    }

#define RECALL(s, memory) \
    accum s[REMEMBERED]; \
    for (uint k = 0; k < REMEMBERED; k++) s[k] = (memory)[k];

// One group: for its first work-item, the sums over n numbers each; the k-th number of the i-th is at k * stride + i. Some loads at
// a time are under way.
#if FEEDBACK_SUMS > 1
#define AT_A_TIME 4
#else
#define AT_A_TIME 8
#endif
ALWAYS_INLINE void add_up(accum *totals, __global const accum *measured, uint stride, uint n, __local accum *shared) {
    const uint lid = get_local_id(0);
    accum sums[FEEDBACK_SUMS][AT_A_TIME];
    for (uint m = 0; m < FEEDBACK_SUMS; m++)
        for (uint k = 0; k < AT_A_TIME; k++) sums[m][k] = 0;
    uint i = lid;
    for (; i + (AT_A_TIME - 1) * FEEDBACK_LOCAL < n; i += AT_A_TIME * FEEDBACK_LOCAL)
SHORT_LOOP
        for (uint m = 0; m < FEEDBACK_SUMS; m++)
SHORT_LOOP
            for (uint k = 0; k < AT_A_TIME; k++) sums[m][k] += measured[m * stride + i + k * FEEDBACK_LOCAL];
    for (; i < n; i += FEEDBACK_LOCAL)
SHORT_LOOP
        for (uint m = 0; m < FEEDBACK_SUMS; m++) sums[m][0] += measured[m * stride + i];
    for (uint m = 0; m < FEEDBACK_SUMS; m++) {
        for (uint k = AT_A_TIME / 2; k > 0; k /= 2)
            for (uint t = 0; t < k; t++) sums[m][t] += sums[m][t + k];
#if FEEDBACK_LOCAL == 1
        totals[m] = sums[m][0];
    }
#else
        shared[m * FEEDBACK_LOCAL + lid] = sums[m][0];
    }
    ADD_TREES(shared, lid, FEEDBACK_LOCAL)
    if (lid == 0)
        for (uint m = 0; m < FEEDBACK_SUMS; m++) totals[m] = shared[m * FEEDBACK_LOCAL];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
}

// For one work-item that has what is remembered: the end of the step whose parameters are `now`, `after` its sums are known, and
// what comes `before` the positions of the one whose are `next` move. Others read it in memory. When lists were built, the corners
// of the box were at `lo` and `hi`; behind `lo` stands the skin.
static inline void remember(accum *s, __global accum *memory, const accum *totals, __global const accum *now,
                            __global const accum *next, __global Box *box, accum4 lo, accum4 hi, int after, int before) {
    if (after) FEED_AFTER(s, totals, now, box)
    if (before) FEED_BEFORE(s, next, box)
    for (uint k = 0; k < REMEMBERED; k++) memory[k] = s[k];
#ifdef BOX_MOVES
    box->trigger = trigger_of(box, lo, hi);
    note_drift(box, lo, hi);
#endif
}
