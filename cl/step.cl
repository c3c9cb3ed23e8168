// The halves of a step around the forces, after the functions of the fixes (cl/integrate.cl, cl/fix/).

// Stores an atom that has moved and stages its position. With `check`, an atom that has come farther than
// `trigger` (squared) since the list was built halts the run at `step`.
static inline void store_moved(Atom a, uint i, __global master *x, __global accum *v, __global staged *position,
                               __global const staged *built_at, __constant const Box *box, __global uint *status,
                               uint step, real trigger, int check, uint stride) {
    vstore3(a.x, i, x);
    vstore3(a.v, i, v);
    const staged s = stage(a.x, a.type, box);
    store_staged(position, stride, i, s, box);
    if (check && !(square(displacement(s, built_at[i], box)) <= trigger)) halt(status, step);
}

// Before the forces of `step`.
__kernel void initial_integrate(ATOM_ARGUMENTS, __global const real *restrict force, __global staged *restrict position,
                                __global const staged *restrict built_at, __constant const Box *box,
                                __global uint *restrict status, uint step, real trigger, int check, uint stride,
                                uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    INITIAL_STAGES(&a)
    store_moved(a, i, x, v, position, built_at, box, status, step, trigger, check, stride);
}

// After the forces of one step and before those of the next, which is `step`.
__kernel void turn_step(ATOM_ARGUMENTS, __global const real *restrict force, __global staged *restrict position,
                        __global const staged *restrict built_at, __constant const Box *box,
                        __global uint *restrict status, uint step, real trigger, int check, uint stride, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    FINAL_STAGES(&a)
    INITIAL_STAGES(&a)
    store_moved(a, i, x, v, position, built_at, box, status, step, trigger, check, stride);
}

// After the forces of `step`.
__kernel void final_integrate(ATOM_ARGUMENTS, __global const real *restrict force, __global const uint *restrict status,
                              uint step, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    FINAL_STAGES(&a)
    vstore3(a.v, i, v);
}
