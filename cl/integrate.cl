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

// First half of a step: v += dt/2 f/m, x += dt v, stage x; with SECOND_HALF, after the second half of the
// step before. With `check` an atom that has moved farther than `trigger` (squared, in staged units) since
// the list was built halts the run at this step, of which this kernel itself is still to be completed.
#ifdef SECOND_HALF
#define FIRST_HALF nve_turn
#else
#define FIRST_HALF nve_initial
#endif
__kernel void FIRST_HALF(__global master *restrict x, __global accum *restrict v, __global const real *restrict force,
                          __global const uint *restrict type, __global const uint *restrict mask,
                          __global staged *restrict position, __global const staged *restrict built_at,
                          __global const accum *restrict kick, __global uint *restrict status,
                          uint step, accum dt, real trigger, uint group, int check, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step) || !(mask[i] & group)) return;
    const uint t = type[i];
    const accum3 push = kick[t - 1] * convert_accum3(vload3(i, force));
    accum3 velocity = vload3(i, v) + push;
#ifdef SECOND_HALF
    velocity += push; // not twice the push: the same bits as from two launches
#endif
    const master3 r = drift(vload3(i, x), dt * velocity);
    vstore3(velocity, i, v);
    vstore3(r, i, x);
    const staged s = stage(r, t);
    position[i] = s;
    if (check) {
        const real3 moved = displacement(s, built_at[i]);
        if (!(FMA(moved.z, moved.z, FMA(moved.y, moved.y, moved.x * moved.x)) <= trigger))
            halt(status, step);
    }
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
