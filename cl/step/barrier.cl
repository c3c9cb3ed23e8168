// How the work-groups of one launch wait for one another: between the STEPS that it makes, or between the parts of a rebuild that it
// makes TOGETHER (after exchange.cl). They must all be under way at the same time, which OpenCL promises nowhere: so at the first
// wait they give up after a while, all alike, and have done nothing yet. From then on nothing keeps them apart, but for a thread of a
// CPU that the machine puts aside: who has waited long for it says so at the next step, before which all leave. What a work-group
// has written the others see behind a fence: on NVIDIA's GPUs (EXCHANGE_PTX), and where all share their caches, on CPUs.
// src/engine/barrier.rs has it nowhere else.
#if defined(STEPS) || defined(TOGETHER)

// Words of the barrier between groups, far enough apart not to be in each other's way: how many waits there have been, and for each of four in
// turn those that have come to it, with those of them that have seen a halt, and whether they gave up.
#define BARRIER_TURN 0
#define BARRIER_COME(turn) (32 + 32 * ((turn) & 3))
#define BARRIER_ALL 0xffffu
#define BARRIER_HALTED 0x10000u
#define BARRIER_APART 0x80000000u
#if CLUSTER > 1 // cores of a CPU, at most 100
#define PATIENCE 4000000u // looks, of a nanosecond or some: threads that sleep come late
#define TIRED_AFTER 1000000u
#define BARRIER_TIRED 8 // a word of the barrier
#define BARRIER_LEAVES 0x1000000u
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

// For one work-item of each work-group: waits for the others, for the time that `turn` says. What `me`, 1 and maybe BARRIER_HALTED,
// comes to for all, the same for each, or with BARRIER_APART, where not all came at the `first` wait.
static inline uint wait_for_groups(__global uint *group_barrier, uint turn, uint me, int first) {
    __global volatile uint *come = group_barrier + BARRIER_COME(turn);
    if (get_group_id(0) == 0) group_barrier[BARRIER_COME(turn + 1)] = 0; // all have left it three waits ago
    FENCE_BEFORE
    uint seen = atomic_add(come, me) + me, looks = 0;
    for (; (seen & BARRIER_ALL) < get_num_groups(0) && !(seen & BARRIER_APART); looks++) {
        if (first && looks >= PATIENCE) atomic_cmpxchg(come, seen, seen | BARRIER_APART);
        seen = *come;
    }
    FENCE_AFTER(come)
#ifdef BARRIER_TIRED
    if (!first && looks >= TIRED_AFTER) *((__global volatile uint *)group_barrier + BARRIER_TIRED) = 1;
#endif
    if (get_group_id(0) == 0) group_barrier[BARRIER_TURN] = turn + 1; // which all have read
    return seen;
}

// For all work-items: `here`, in local memory, is whether all have come (PoCL 3.1 leaves out a meeting of which nothing is stored).
#define MEET(here, turn, first) \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    if (get_local_id(0) == 0) here = !(wait_for_groups(group_barrier, turn, 1, first) & BARRIER_APART); \
    turn++; \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#endif

#ifdef STEPS
// For one work-item of each work-group, once they have met: whether the launch goes on with `step`, as nothing has halted the
// run; all groups get the same answer.
static inline int go_on(__global uint *group_barrier, __global uint *status, uint turn, uint step, int first) {
    if (first && halted(status, step)) return 0;
    uint me = atomic_or(&status[STATUS_HALT], 0) <= step ? 1 + BARRIER_HALTED : 1;
#ifdef BARRIER_TIRED
    __global volatile uint *tired = group_barrier + BARRIER_TIRED;
    if (first && get_group_id(0) == 0) *tired = 0;
    if (!first && *tired) me += BARRIER_LEAVES;
#endif
    uint seen = wait_for_groups(group_barrier, turn, me, first);
#ifdef BARRIER_TIRED
    // A halt is the better reason to leave.
    if (seen >= BARRIER_LEAVES && !(seen & (BARRIER_LEAVES - BARRIER_HALTED))) seen |= BARRIER_APART;
#endif
    if (seen & BARRIER_APART) {
        status[STATUS_APART] = APART_IN_STEPS;
        halt(status, step);
    }
    return seen <= BARRIER_ALL;
}

// For the last of them: where an atom has come too far, and nothing else has halted the run at `step`, the cycle begins there.
static inline void begin_cycle(__global uint *status, uint cycle, uint step) {
    const uint broken = status[STATUS_BONDS] & ~(BOND_LONG | BOND_LET_GO); // the others are worth a warning
    if (status[STATUS_HALT] != step || broken != 0 || status[STATUS_APART] != 0 || status[STATUS_SLOTS] != 0) return;
    status[STATUS_LOG + cycle % LOG] = status[STATUS_BEGUN] = step;
    status[STATUS_CYCLE] = cycle;
    status[STATUS_HALT] = NEVER;
}

#if CLUSTER > 1
#define X_HOLD(i) x_hold[i]
#else
// The rows of fixes' numbers may go along from step to step, on CPUs (cl/force/whole_steps.cl) and here.
#ifdef FEEDBACK
#define ROWS_NEXT row += along, next_row += along,
#else
#define ROWS_NEXT
#endif
// Where a work-item's atom was when the list was built, read once and not at the end of each step, where all wait for it.
#define LOAD_BUILT(i) \
    staged built = (staged)(0); \
    if (check) built = x_hold[i];
#define X_HOLD(i) built
#endif
// Whether a step looks at displacements: so many of the first ones do not.
#define CHECKED (check && step + 1 - start >= unwatched)
#define SWAP_POSITIONS swap_staged(&position, &packed_next)
static inline void swap_staged(__global staged **a, __global staged **b) {
    __global staged *const held = *a;
    *a = *b;
    *b = held;
}
#define BARRIER_ARGUMENTS , __global uint *group_barrier, uint stop, uint cycle, uint unwatched
#define BARRIER_NAMES , group_barrier, stop, cycle, unwatched
#define STAGED_FROM __global staged *
#define STAGED_TO __global staged *

#else
#define BARRIER_ARGUMENTS
#define BARRIER_NAMES
#define LOAD_BUILT(i)
#define X_HOLD(i) x_hold[i]
#define CHECKED check
#define STAGED_FROM __global const staged *restrict
#define STAGED_TO __global staged *restrict
#endif
