// How the work-groups of one launch wait for one another: between the STEPS that it makes, or between the parts of a rebuild that it
// makes TOGETHER (after exchange.cl). They must all be under way at the same time, which OpenCL promises nowhere: so at the first
// wait they give up after a while, all alike, and have done nothing yet. From then on nothing keeps them apart, but for a thread of a
// CPU that the machine puts aside: who has waited long for it says so at the next step, before which all leave. What a work-group
// has written the others see behind a fence: on NVIDIA's GPUs (EXCHANGE_PTX), and where all share their caches, on CPUs.
// src/engine/barrier.rs has it nowhere else.
#if defined(STEPS) || defined(TOGETHER)

// Words of the gate, far enough apart not to be in each other's way: how many waits there have been, and for each of four in
// turn those that have come to it, with those of them that have seen a halt, and whether they gave up.
#define GATE_TURN 0
#define GATE_COME(turn) (32 + 32 * ((turn) & 3))
#define GATE_ALL 0xffffu
#define GATE_HALTED 0x10000u
#define GATE_APART 0x80000000u
#if CLUSTER > 1 // cores of a CPU, at most 100
#define PATIENCE 4000000u // looks, of a nanosecond or some: threads that sleep come late
#define TIRED_AFTER 1000000u
#define GATE_TIRED 8 // the word of the gate
#define GATE_LEAVES 0x1000000u
#else
#define PATIENCE 300u // looks, of a microsecond or so
#endif

#ifdef EXCHANGE_PTX
#define FENCE_BEFORE asm volatile("membar.gl;" ::: "memory");
#define FENCE_AFTER(come) asm volatile("membar.gl;" ::: "memory");
#else // mem_fence is nothing in PoCL, whose atomic operations are fences
#define FENCE_BEFORE
#define FENCE_AFTER(come) atomic_or(come, 0);
#endif

// For one work-item of each work-group: waits for the others, for the time that `turn` says. What `me`, 1 and maybe GATE_HALTED,
// comes to for all, the same for each, or with GATE_APART, where not all came at the `first` wait.
static inline uint meet(__global uint *gate, uint turn, uint me, int first) {
    __global volatile uint *come = gate + GATE_COME(turn);
    if (get_group_id(0) == 0) gate[GATE_COME(turn + 1)] = 0; // all have left it three waits ago
    FENCE_BEFORE
    uint seen = atomic_add(come, me) + me, looks = 0;
    for (; (seen & GATE_ALL) < get_num_groups(0) && !(seen & GATE_APART); looks++) {
        if (first && looks >= PATIENCE) atomic_cmpxchg(come, seen, seen | GATE_APART);
        seen = *come;
    }
    FENCE_AFTER(come)
#ifdef GATE_TIRED
    if (!first && looks >= TIRED_AFTER) *((__global volatile uint *)gate + GATE_TIRED) = 1;
#endif
    if (get_group_id(0) == 0) gate[GATE_TURN] = turn + 1; // which all have read
    return seen;
}

// For all work-items: `here`, in local memory, is whether all have come (PoCL 3.1 leaves out a meeting of which nothing is stored).
#define MEET(here, turn, first) \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    if (get_local_id(0) == 0) here = !(meet(gate, turn, 1, first) & GATE_APART); \
    turn++; \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif

#ifdef STEPS
// For one work-item of each work-group, once they have met: whether the launch goes on with `step`, as nothing has halted the
// run; all groups get the same answer.
static inline int go_on(__global uint *gate, __global uint *status, uint turn, uint step, int first) {
    if (first && halted(status, step)) return 0;
    uint me = atomic_or(&status[STATUS_HALT], 0) <= step ? 1 + GATE_HALTED : 1;
#ifdef GATE_TIRED
    __global volatile uint *tired = gate + GATE_TIRED;
    if (first && get_group_id(0) == 0) *tired = 0;
    if (!first && *tired) me += GATE_LEAVES;
#endif
    uint seen = meet(gate, turn, me, first);
#ifdef GATE_TIRED
    // A halt is the better reason to leave.
    if (seen >= GATE_LEAVES && !(seen & (GATE_LEAVES - GATE_HALTED))) seen |= GATE_APART;
#endif
    if (seen & GATE_APART) {
        status[STATUS_APART] = APART_IN_STEPS;
        halt(status, step);
    }
    return seen <= GATE_ALL;
}

// For the last of them: where an atom has come too far, and nothing else has halted the run at `step`, the round begins there.
static inline void begin_round(__global uint *status, uint round, uint step) {
    const uint broken = status[STATUS_BONDS] & ~(BOND_LONG | BOND_LET_GO); // the others are worth a warning
    if (status[STATUS_HALT] != step || broken != 0 || status[STATUS_APART] != 0 || status[STATUS_SLOTS] != 0) return;
    status[STATUS_LOG + round % LOG] = status[STATUS_BEGUN] = step;
    status[STATUS_ROUND] = round;
    status[STATUS_HALT] = NEVER;
}

// Around a step: all before the step `stop` up to a halt, from one buffer of positions into the other by turns. A halt in their
// midst begins the `round`, where there is one: all have seen it, and none looks again.
// On CPUs a work-group is one work-item, one for each core or a single one (cl/force/loop_cluster.cl); the rows of fixes' numbers may go along.
#define END_STEP } \
    LEAVE_BOX \
    if (round != 0 && get_global_id(0) == 0 && step > start && step < stop) begin_round(status, round, step);
#if CLUSTER > 1
#define EACH_STEP \
    uint turn = gate[GATE_TURN]; \
    const uint along = next_row - row; \
    if (passed_over(status, &step)) stop = step; \
    const uint start = step; \
    for (; step < stop && go_on(gate, status, turn++, step, step == start); step++, row += along, next_row += along, NEXT_BOX SWAP_POSITIONS) {
#define BUILT_AT(i) built_at[i]
#else
// Where fixes' numbers may go along there, too.
#ifdef FEEDBACK
#define ROWS_NOW const uint along = next_row - row;
#define ROWS_NEXT row += along, next_row += along,
#else
#define ROWS_NOW
#define ROWS_NEXT
#endif
#define EACH_STEP \
    __local int on; \
    uint turn = gate[GATE_TURN]; \
    ROWS_NOW \
    if (passed_over(status, &step)) stop = step; \
    const uint start = step; \
    for (; step < stop; step++, ROWS_NEXT NEXT_BOX SWAP_POSITIONS) { \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
        if (get_local_id(0) == 0) on = go_on(gate, status, turn, step, step == start); \
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
        if (!on) break; \
        turn++;
// Where a work-item's atom was when the list was built, read once and not at the end of each step, where all wait for it.
#define LOAD_BUILT(i) \
    staged built = (staged)(0); \
    if (check) built = built_at[i];
#define BUILT_AT(i) built
#endif
// Whether a step looks at displacements: so many of the first ones do not.
#define CHECKED (check && step + 1 - start >= unwatched)
#define SWAP_POSITIONS swap_staged(&position, &moved)
static inline void swap_staged(__global staged **a, __global staged **b) {
    __global staged *const held = *a;
    *a = *b;
    *b = held;
}
#define GATE_ARGUMENTS , __global uint *gate, uint stop, uint round, uint unwatched
#define STAGED_FROM __global staged *
#define STAGED_TO __global staged *

#else
#define AMID
#define EACH_STEP
#define REST_OF_STEP
#define END_STEP
#define GATE_ARGUMENTS
#define LOAD_BUILT(i)
#define BUILT_AT(i) built_at[i]
#define CHECKED check
#define STAGED_FROM __global const staged *restrict
#define STAGED_TO __global staged *restrict
#endif
