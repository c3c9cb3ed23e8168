// What pair styles see of atoms besides positions and types (cl/force/pair_inputs.cl), put beside the staged positions.

// Charges by place, one for each copy of the box, from those by ID.
__kernel void stage_charges(__global const uint *restrict tag, __global const real *restrict charge_of,
                            __global real *restrict charge, __global const uint *restrict status, uint step,
                            uint copies, uint stride, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || passed_over(status, &step)) return;
    const real q = charge_of[tag[i]];
    for (uint r = 0; r < copies; r++) charge[r * stride + i] = q;
}

// Velocities with IDs.
__kernel void stage_velocities(__global const accum *restrict v, __global const uint *restrict tag,
                               __global staged *restrict velocity, __constant const Box *box,
                               __global const uint *restrict status, uint step, uint stride, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    store_velocity(velocity, stride, i, stage_velocity(vload3(i, v), tag[i]), box);
}
