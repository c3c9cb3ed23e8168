// What pair styles see of atoms besides positions and types (cl/force/pair_inputs.cl), put beside the staged positions.

// Numbers by place, `width` of them for each copy of the box, from those by ID.
__kernel void stage_numbers(__global const uint *restrict tag, __global const real *restrict numbers_of,
                            __global real *restrict numbers, __global const uint *restrict status, uint step,
                            uint copies, uint stride, uint width, uint begin, uint end) {
    const uint i = begin + get_global_id(0);
    if (i >= end || passed_over(status, &step)) return;
    for (uint k = 0; k < width; k++) {
        const real number = numbers_of[tag[i] * width + k];
        for (uint r = 0; r < copies; r++) numbers[(r * stride + i) * width + k] = number;
    }
}

// Velocities with IDs.
__kernel void stage_velocities(__global const accum *restrict v, __global const uint *restrict tag,
                               __global staged *restrict velocity, __constant const Box *box,
                               __global const uint *restrict status, uint step, uint stride, uint begin, uint end) {
    const uint i = begin + get_global_id(0);
    if (i >= end || halted_before(status, step)) return;
    store_velocity(velocity, stride, i, stage_velocity(vload3(i, v), tag[i]), box);
}
