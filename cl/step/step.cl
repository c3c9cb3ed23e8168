// The halves of a step around the forces, after the functions of the fixes (cl/step/integrate.cl, cl/fix/).

// Where pair styles see velocities, those of the moment stand beside the staged positions.
#ifdef VELOCITIES
#define VELOCITY_MOVED , __global staged *restrict moved_velocity
#define VELOCITY_MOVED_NAME , moved_velocity
#define STORE_VELOCITY(a, i) store_velocity(moved_velocity, stride, i, stage_velocity(a.v, a.tag), box)
#else
#define VELOCITY_MOVED
#define VELOCITY_MOVED_NAME
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
#define AHEAD_NAMES , ahead, ahead_at, box_along, carrier
#define NEXT_BOX box += box_along,
#define BOX_THEN (box + box_along)
#define TRIGGER_THEN (box_along ? BOX_THEN->trigger : trigger)
#define CARRY(a, h) CARRY_STAGES(a, h, carrier)
#else
#define AHEAD_ARGUMENTS
#define AHEAD_NAMES
#define NEXT_BOX
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

// Where positions are predicted (src/engine/neighbor/prediction.rs), velocities between the two halves of a kick are kept of steps at which
// they may be rebuilt: with those behind it they tell the kick, which need not be carried through the kernel for that.
#ifdef KEEP_HALF_STEP_V
#define HALF_STEP_V_KEPT , __global float *restrict half_step_v
#define HALF_STEP_V_NAME , half_step_v
#define STORE_HALF_STEP_V(a, i) store_half_step_v(check, a.v, i, half_step_v)
static inline void store_half_step_v(int check, accum3 v, uint i, __global float *half_step_v) {
    if (check) vstore3(convert_float3(v), i, half_step_v);
}
#else
#define HALF_STEP_V_KEPT
#define HALF_STEP_V_NAME
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

// For whole steps that go on with sums over all atoms (cl/force/whole_steps.cl): those that functions of fixes go on with, one after another.
#ifdef TOTALS
#define FORCE_ARGUMENT , __global real *restrict force
#define FORCE_NAMES , force
#define LEAVE_TOTAL(stages, first_sum, number, place) { \
    accum sums[ALL_SUMS]; \
    for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0; \
    for (uint i = 0; i < n; i++) { \
        Atom a = {vload3(i, x), vload3(i, v), vload3(i, force), type[i], mask[i], tag[i], image[i]}; \
        const Here now = HERE(row, step); \
        stages(&a, &now) \
    } \
    for (uint k = 0; k < number; k++) memory[(place) + k] = sums[(first_sum) + k]; \
}
#elif defined(STEPS) && defined(FEEDBACK)
#ifdef SETS
#define FORCE_ARGUMENT , __global real *restrict force, __global accum *measured, __global const uint *restrict set_first, uint sets, uint builds
#define FORCE_NAMES , force, measured, set_first, sets, builds
#else
#define FORCE_ARGUMENT , __global real *restrict force, __global accum *measured, uint spare BOX_MOVED_ARGUMENTS
#define FORCE_NAMES , force, measured, spare BOX_MOVED_NAMES
#endif
#ifdef BOX_MOVES
#define BOX_MOVED_ARGUMENTS , __global Box *boxes, accum4 lo, accum4 hi
#define BOX_MOVED_NAMES , boxes, lo, hi
#define TO_MOVE box, lo, hi
#else
#define BOX_MOVED_ARGUMENTS
#define BOX_MOVED_NAMES
#define TO_MOVE 0, (accum4)(0), (accum4)(0)
#endif
#ifndef SETS
#define FEEDBACK_MEMORY remembered_at
#endif
#define GROUP_ATOMS (PAIR_LOCAL / LANES)
#else
#define FORCE_ARGUMENT
#define FORCE_NAMES
#endif
// From the forces on an atom to those of the next step.
#define MOVE_ON(a, i, now, then) { \
    STAGES_OF_TURN(&a, &now) \
    STORE_HALF_STEP_V(a, i); \
    INITIAL_STAGES(&a, &then) \
    const staged s = store_moved(a, i, x, v, packed_next, BOX_THEN, stride); \
    if (CHECKED) watch(a.x, s, X_HOLD(i), BOX_THEN, status, step + 1, TRIGGER_THEN); \
    STORE_VELOCITY(a, i); \
}

#ifndef FUSED // which is for the program with the neighbour loop: that of these kernels serves all pair styles
// What becomes of an atom that has moved. The run halts if it has come too far.
#define STORE_MOVED(a, i) { \
    const staged s = store_moved(a, i, x, v, position, box, stride); \
    if (check) watch(a.x, s, x_hold[i], box, status, step, TRIGGER); \
    STORE_VELOCITY(a, i); \
}
#define MOVE_ARGUMENTS \
    ATOM_ARGUMENTS, __global const real *restrict force, __global staged *restrict position, \
    __global const staged *restrict x_hold, __constant const Box *box, __global uint *restrict status, uint step, \
    real trigger, int check, uint stride, uint first, uint n VELOCITY_MOVED HALF_STEP_V_KEPT
#define MOVE_NAMES \
    ATOM_NAMES, force, position, x_hold, box, status, step, trigger, check, stride, first, n VELOCITY_MOVED_NAME HALF_STEP_V_NAME

// Before the forces of `step`.
BODY void move_first(uint2 mine, MOVE_ARGUMENTS) {
    const uint2 range = first + mine;
    EACH_CALLED(i, (uint2)(range.x, min(range.y, n))) {
        Atom a = LOAD_ATOM(i, vload3(i, force));
        const Here now = HERE(row, step);
        STORE_HALF_STEP_V(a, i);
        INITIAL_STAGES(&a, &now)
        STORE_MOVED(a, i)
    }
}
__kernel void initial_integrate(MOVE_ARGUMENTS) {
    FIRST_CALLS
    if (!halted_before(status, step)) move_first(CALLED_FOR, MOVE_NAMES);
}

// After the forces of one step and before those of the next, which is `step`.
BODY void move_on(uint2 mine, MOVE_ARGUMENTS) {
    const uint2 range = first + mine;
    EACH_CALLED(i, (uint2)(range.x, min(range.y, n))) {
        Atom a = LOAD_ATOM(i, vload3(i, force));
        const Here before = HERE(row, step - 1), now = HERE(next_row, step);
        LAST_STAGES(&a, &before)
        STORE_HALF_STEP_V(a, i);
        INITIAL_STAGES(&a, &now)
        STORE_MOVED(a, i)
    }
}
__kernel void final_initial_step(MOVE_ARGUMENTS) {
    FIRST_CALLS
    if (!halted_before(status, step)) move_on(CALLED_FOR, MOVE_NAMES);
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
    STORE_MOVED(a, i)
}
#endif
