// The halves of a step around the forces, after the functions of the fixes (cl/step/integrate.cl, cl/fix/).

// Where pair styles see velocities, those of the moment stand beside the staged positions.
#ifdef VELOCITIES
#define VELOCITY_MOVED , __global staged *restrict moved_velocity
#define STORE_VELOCITY(a, i) store_velocity(moved_velocity, stride, i, stage_velocity(a.v, a.tag), box);
#else
#define VELOCITY_MOVED
#define STORE_VELOCITY(a, i)
#endif

// How far an atom may come, squared: the host says so, or the box where a fix on the device moves it.
#ifdef BOX_MOVES
#define TRIGGER box->trigger
#else
#define TRIGGER trigger
#endif

// Where the host knows the boxes of the steps that a launch makes, and they differ (box_along is 1, not 0): those of its first step and of each one
// behind it stand from `ahead_at` on. At the end of each step positions follow by what the fix at the place `carrier` does then, as in launches of
// their own; at the end of the launch, unless it has made none, the box of all is that of its last step.
#if defined(STEPS) && defined(BOX_CHANGES) && !defined(BOX_MOVES)
#define AHEAD_ARGUMENTS , __global const Box *ahead, uint ahead_at, uint box_along, uint carrier
#define OWN_BOX __global const Box *box = box_along ? ahead + ahead_at : all_box;
#define NEXT_BOX box += box_along,
#define LEAVE_BOX if (box_along && step > start && get_global_id(0) == 0) *all_box = *box;
#define BOX_THEN (box + box_along)
#define TRIGGER_THEN (box_along ? BOX_THEN->trigger : trigger)
#define CARRY(a, h) CARRY_STAGES(a, h, carrier)
#else
#define AHEAD_ARGUMENTS
#ifndef BOX_MOVES
#define OWN_BOX
#endif
#define NEXT_BOX
#define LEAVE_BOX
#define BOX_THEN box
#define TRIGGER_THEN TRIGGER
#define CARRY(a, h)
#endif

// Stores an atom that has moved and stages its position, which it returns.
static inline staged store_moved(Atom a, uint i, __global master *x, __global accum *v, __global staged *position,
                                 BOX_SPACE const Box *box, uint stride) {
    vstore3(a.v, i, v);
    return store_position(a.x, a.type, i, x, position, box, stride);
}

// Where positions are predicted (src/engine/neighbor/prediction.rs), velocities between the two halves of a kick are kept of steps at which they may be
// rebuilt: with those behind it they tell the kick, which need not be carried through the kernel for that.
#ifdef KEEP_HALF_STEP_V
#define HALF_STEP_V_KEPT , __global float *restrict half_step_v
#define STORE_HALF_STEP_V(a, i) if (check) vstore3(convert_float3(a.v), i, half_step_v);
#else
#define HALF_STEP_V_KEPT
#define STORE_HALF_STEP_V(a, i)
#endif

// What a step has done with an atom before positions move.
#ifdef FEEDBACK // the place of a fix that ends each step here; forces and kicks are done (force_and_kick)
#define LAST_STAGES(a, h) END_STAGES(a, h, FEEDBACK)
#define STAGES_OF_TURN(a, h) CARRY(a, h) LAST_STAGES(a, h)
#else
#define LAST_STAGES(a, h) FORCE_STAGES(a, h) FINAL_STAGES(a, h)
#define STAGES_OF_TURN(a, h) LAST_STAGES(a, h) CARRY(a, h)
#endif

// Where one work-item makes whole steps and functions of fixes go on with sums over all atoms (TOTALS): after the forces of all
// atoms, which are left in `force`, those sums, one after another as leave_totals of cl/analysis/fix_sums.cl has them (EACH_TOTAL,
// src/engine/step/stages.rs), and what final_initial_step does, into the other buffer of staged positions.
#ifdef TOTALS
#define FORCE_ARGUMENT , __global real *restrict force
#define AMID OWN_BOX
#define LEAVE_TOTAL(stages, first_sum, number, place) { \
    accum sums[ALL_SUMS]; \
    for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0; \
    for (uint i = 0; i < n; i++) { \
        Atom a = LOAD_ATOM(i, vload3(i, force)); \
        const Here now = HERE(row, step); \
        stages(&a, &now) \
    } \
    for (uint k = 0; k < number; k++) memory[(place) + k] = sums[(first_sum) + k]; \
}
#define REST_OF_STEP \
    EACH_TOTAL \
    for (uint i = 0; i < n; i++) { \
        accum sums[ALL_SUMS]; /* of no interest here */ \
        for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0; \
        Atom a = LOAD_ATOM(i, vload3(i, force)); \
        const Here now = HERE(row, step), then = HERE_IN(next_row, step + 1, BOX_THEN); \
        MOVE_ON(a, i, now, then) \
    }
// Where a fix goes on with sums over all atoms at the end of each step: after the kicks of all atoms, which are left in memory, what
// gather_measured, advance_feedback and final_initial_step do (cl/step/coupling.cl).
#elif defined(STEPS) && defined(FEEDBACK)
#define FORCE_ARGUMENT , __global real *restrict force, __global accum *measured, uint spare BOX_MOVED_ARGUMENTS
#define TURN(i) { \
        Atom a = LOAD_ATOM(i, vload3(i, force)); \
        const Here now = HERE_IN(row, step, BOX_THEN), then = HERE_IN(next_row, step + 1, BOX_THEN); \
        MOVE_ON(a, i, now, then) \
    }
// Where the fix moves the box, each work-group moves one of its own, all alike: the first one that of all, which the others have copied
// before they meet.
#ifdef BOX_MOVES
#define BOX_MOVED_ARGUMENTS , __global Box *boxes, accum4 lo, accum4 hi
#define OWN_BOX \
    __global Box *const box = get_group_id(0) == 0 ? all_box : boxes + get_group_id(0); \
    if (get_group_id(0) > 0) \
        for (uint word = get_local_id(0); word < sizeof(Box) / sizeof(uint); word += get_local_size(0)) \
            ((__global uint *)box)[word] = ((__global const uint *)all_box)[word]; \
    barrier(CLK_GLOBAL_MEM_FENCE);
#define TO_MOVE box, lo, hi
#else
#define BOX_MOVED_ARGUMENTS
#define TO_MOVE 0, (accum4)(0), (accum4)(0)
#endif
// The numbers of all are added up by all work-groups alike, so each has a place of its own for what is remembered, the first one that
// of all, which the others have read before it changes, as they meet before that.
#define FEEDBACK_MEMORY remembered_at
#define OWN_MEMORY \
    const uint remembered_at = get_group_id(0) == 0 ? 0 : spare + (uint)get_group_id(0) * REMEMBERED; \
    RECALL(numbers, memory) \
    if (get_local_id(0) == 0 && remembered_at > 0) \
        for (uint k = 0; k < REMEMBERED; k++) memory[remembered_at + k] = numbers[k];
#if CLUSTER > 1
#define AMID \
    OWN_BOX \
    OWN_MEMORY
// A core adds up the numbers of its share of blocks of FEEDBACK_BLOCK atoms, to stand behind the atoms'. They have come together before,
// so none leaves here: what looks like that keeps PoCL 3.1 from leaving out the meeting.
#define SHARE_OF(count, k) ((ulong)(count) * (get_group_id(0) + (k)) / get_num_groups(0))
#define REST_OF_STEP \
    const uint blocks_ = (n + FEEDBACK_BLOCK - 1) / FEEDBACK_BLOCK; \
    __global accum *const added = measured + FEEDBACK_SUMS * stride; \
    accum totals[FEEDBACK_SUMS]; \
    if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break; \
    for (uint block = SHARE_OF(blocks_, 0); block < SHARE_OF(blocks_, 1); block++) { \
        const uint begin_ = block * FEEDBACK_BLOCK; \
        add_up(totals, measured + begin_, stride, min((uint)FEEDBACK_BLOCK, n - begin_), 0); \
        for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * blocks_ + block] = totals[k]; \
    } \
    if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break; \
    add_up(totals, added, blocks_, blocks_, 0); \
    remember(numbers, memory + remembered_at, totals, parameters + row, parameters + next_row, TO_MOVE, 1, 1); \
    for (uint i = SHARE_OF(n, 0); i < SHARE_OF(n, 1); i++) TURN(i)
#else
#define GROUP_ATOMS (PAIR_LOCAL / LANES)
#define AMID \
    OWN_BOX \
    __local accum added[FEEDBACK_SUMS * GROUP_ATOMS], shared[FEEDBACK_SUMS * FEEDBACK_LOCAL]; \
    OWN_MEMORY
#define REST_OF_STEP \
    if (!active && lane == 0) \
        for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * GROUP_ATOMS + get_local_id(0) / LANES] = 0; \
    ADD_TREES(added, get_local_id(0), GROUP_ATOMS) \
    if (get_local_id(0) == 0) \
        for (uint k = 0; k < FEEDBACK_SUMS; k++) measured[k * get_num_groups(0) + get_group_id(0)] = added[k * GROUP_ATOMS]; \
    MEET(on, turn, 0) \
    accum totals[FEEDBACK_SUMS]; \
    add_up(totals, measured, get_num_groups(0), get_num_groups(0), shared); \
    if (get_local_id(0) == 0) \
        remember(numbers, memory + remembered_at, totals, parameters + row, parameters + next_row, TO_MOVE, 1, 1); \
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); \
    if (active && lane == 0) TURN(i)
#endif
#else
#define FORCE_ARGUMENT
#ifdef STEPS
#define AMID OWN_BOX
#define REST_OF_STEP
#endif
#endif
// From the forces on an atom to those of the next step.
#define MOVE_ON(a, i, now, then) { \
    STAGES_OF_TURN(&a, &now) \
    STORE_HALF_STEP_V(a, i) \
    INITIAL_STAGES(&a, &then) \
    const staged s = store_moved(a, i, x, v, packed_next, BOX_THEN, stride); \
    if (CHECKED) watch(a.x, s, X_HOLD(i), BOX_THEN, status, step + 1, TRIGGER_THEN); \
    STORE_VELOCITY(a, i) \
}

#ifndef FUSED // which is for the program with the neighbour loop: that of these kernels serves all pair styles
// Before the forces of `step`.
__kernel void initial_integrate(ATOM_ARGUMENTS, __global const real *restrict force, __global staged *restrict position,
                                __global const staged *restrict x_hold, __constant const Box *box,
                                __global uint *restrict status, uint step, real trigger, int check, uint stride,
                                uint first, uint n VELOCITY_MOVED HALF_STEP_V_KEPT) {
    const uint i = first + get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    STORE_HALF_STEP_V(a, i)
    INITIAL_STAGES(&a, &now)
    const staged s = store_moved(a, i, x, v, position, box, stride);
    if (check) watch(a.x, s, x_hold[i], box, status, step, TRIGGER);
    STORE_VELOCITY(a, i)
}

// After the forces of one step and before those of the next, which is `step`.
__kernel void final_initial_step(ATOM_ARGUMENTS, __global const real *restrict force, __global staged *restrict position,
                        __global const staged *restrict x_hold, __constant const Box *box,
                        __global uint *restrict status, uint step, real trigger, int check, uint stride,
                        uint first, uint n VELOCITY_MOVED HALF_STEP_V_KEPT) {
    const uint i = first + get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here before = HERE(row, step - 1), now = HERE(next_row, step);
    LAST_STAGES(&a, &before)
    STORE_HALF_STEP_V(a, i)
    INITIAL_STAGES(&a, &now)
    const staged s = store_moved(a, i, x, v, position, box, stride);
    if (check) watch(a.x, s, x_hold[i], box, status, step, TRIGGER);
    STORE_VELOCITY(a, i)
}

// After the forces of `step`, which are left as the fixes have changed them.
__kernel void final_integrate(ATOM_ARGUMENTS, __global real *restrict force, __constant const Box *box,
                              __global const uint *restrict status, uint step, uint first, uint n) {
    const uint i = first + get_global_id(0);
    if (i >= n || halted(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    FORCE_STAGES(&a, &now)
    FINAL_STAGES(&a, &now)
    vstore3(a.v, i, v);
    vstore3(a.f, i, force);
}

// The forces before the first step, as the fixes change them.
__kernel void first_forces(ATOM_ARGUMENTS, __global real *restrict force, __constant const Box *box,
                           __global const uint *restrict status, uint step, uint first, uint n) {
    const uint i = first + get_global_id(0);
    if (i >= n || halted(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    FORCE_STAGES(&a, &now)
    vstore3(a.v, i, v);
    vstore3(a.f, i, force);
}

// What the fix at the place `which` does at the end of `step`, or before its forces (`amid`). Positions may have changed, and the box.
__kernel void end_of_step(ATOM_ARGUMENTS, __global const real *restrict force, __global staged *restrict position,
                          __global const staged *restrict x_hold, __constant const Box *box,
                          __global uint *restrict status, uint step, real trigger, int check, uint stride, uint begin,
                          uint end VELOCITY_MOVED, uint which, int amid) {
    const uint i = begin + get_global_id(0);
    if (i >= end || (amid ? halted_before(status, step) : halted(status, step))) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    END_STAGES(&a, &now, which)
    const staged s = store_moved(a, i, x, v, position, box, stride);
    if (check) watch(a.x, s, x_hold[i], box, status, step, TRIGGER);
    STORE_VELOCITY(a, i)
}
#endif
