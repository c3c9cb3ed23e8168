// Velocity Verlet. Constants and sums in `accum`; forces come as `real`.
//   kick[type - 1] = dt / 2 / mass in velocity per force

// Positions are in units of MASTER_QUANTUM in SINGLE, so a drift is rounded to it.
static inline master3 drift(master3 x, accum3 by) {
#ifdef SINGLE
    return x + convert_long3_rte(by * (float)INVERSE_MASTER_QUANTUM);
#else
    return x + by;
#endif
}

// The first half of a step, after the `pushes` - 1 second halves that are still due: v += dt/2 f/m,
// x += dt v, stage x. With `check` an atom that has moved farther than `trigger` (squared, in staged units)
// since the list was built halts the run at this step, of which this kernel itself is still completed.
static inline void kick_and_drift(int pushes, uint i, __global master *x, __global accum *v,
                                  __global const real *force, uint type, __global staged *position,
                                  __global const staged *built_at, __global const accum *kick,
                                  __global uint *status, uint step, accum dt, real trigger, int check) {
    const accum3 push = kick[type - 1] * convert_accum3(vload3(i, force));
    accum3 velocity = vload3(i, v) + push;
    if (pushes == 2) velocity += push; // not twice the push: the same bits as from two launches
    const master3 r = drift(vload3(i, x), dt * velocity);
    vstore3(velocity, i, v);
    vstore3(r, i, x);
    const staged s = stage(r, type);
    position[i] = s;
    if (check) {
        const real3 moved = displacement(s, built_at[i]);
        if (!(FMA(moved.z, moved.z, FMA(moved.y, moved.y, moved.x * moved.x)) <= trigger))
            halt(status, step);
    }
}

__kernel void nve_initial(__global master *restrict x, __global accum *restrict v, __global const real *restrict force,
                          __global const uint *restrict type, __global const uint *restrict mask,
                          __global staged *restrict position, __global const staged *restrict built_at,
                          __global const accum *restrict kick, __global uint *restrict status,
                          uint step, accum dt, real trigger, uint group, int check, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step) || !(mask[i] & group)) return;
    kick_and_drift(1, i, x, v, force, type[i], position, built_at, kick, status, step, dt, trigger, check);
}

// The second half of one step and the first half of the next, which is `step`.
__kernel void nve_turn(__global master *restrict x, __global accum *restrict v, __global const real *restrict force,
                       __global const uint *restrict type, __global const uint *restrict mask,
                       __global staged *restrict position, __global const staged *restrict built_at,
                       __global const accum *restrict kick, __global uint *restrict status,
                       uint step, accum dt, real trigger, uint group, int check, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step) || !(mask[i] & group)) return;
    kick_and_drift(2, i, x, v, force, type[i], position, built_at, kick, status, step, dt, trigger, check);
}

// Second half: v += dt/2 f/m.
__kernel void nve_final(__global accum *restrict v, __global const real *restrict force,
                        __global const uint *restrict type, __global const uint *restrict mask,
                        __global const accum *restrict kick, __global const uint *restrict status, uint step,
                        uint group, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted(status, step) || !(mask[i] & group)) return;
    vstore3(vload3(i, v) + kick[type[i] - 1] * convert_accum3(vload3(i, force)), i, v);
}
