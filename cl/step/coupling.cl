// What a fix does with the whole system in each step, on the device, in launches of its own (after coupling_sums.cl): it adds up some
// numbers of each atom, and goes on with what it remembers, which the functions of its atoms read in the next launch.
// src/engine/step/stages.rs writes the calls:
//   MEASURE_ATOM(a, h, virial, out)   the numbers of an atom (cl/step/integrate.cl), FEEDBACK_SUMS of them
//   FEED_AFTER(s, sums, p, box)       at the end of a step, when velocities have followed the forces
//   FEED_BEFORE(s, p, box)            before positions move
//   REMEMBERED                how many numbers are remembered, at the beginning of `memory`
//   BOX_MOVES                 the fix sees virials and moves the box (cl/step/faces.cl)
//   GATHER_LOCAL              work-items per group of gather_measured and gather_cut (a power of two, 1 on CPUs)
// The k-th number of atom i is at k * stride + i.

#ifdef BOX_MOVES
// Faces across these axes (bits) come to where the host tells, unless the run has halted at `step` or before; `lo` and `hi` as
// remember() has them.
__kernel void set_faces(__global Box *restrict box, accum4 to_lo, accum4 to_hi, uint axes, accum4 lo, accum4 hi,
                        __global const uint *restrict status, uint step) {
    if (get_global_id(0) != 0 || halted(status, step)) return;
    const accum low[3] = {to_lo.x, to_lo.y, to_lo.z}, high[3] = {to_hi.x, to_hi.y, to_hi.z};
    for (int d = 0; d < 3; d++)
        if (axes >> d & 1) move_faces(box, d, low[d], high[d]);
    box->trigger = trigger_of(box, lo, hi);
    note_drift(box, lo, hi);
}
#endif

// The numbers of all atoms, where forces and velocities of a step came in launches of their own, with tallies if BOX_MOVES.
__kernel void measure_atoms(ATOM_ARGUMENTS, __global const real *restrict force, __constant const Box *box,
                            __global const real *restrict tally, __global accum *restrict measured,
                            __global const uint *restrict status, uint step, uint stride, uint begin, uint end) {
    const uint i = begin + get_global_id(0);
    if (i >= end || halted(status, step)) return;
    Atom a = LOAD_ATOM(i, vload3(i, force));
    const Here now = HERE(row, step);
    STORE_MEASURED(&a, &now, VIRIAL_OF(vload8(i, tally)), i, measured, stride)
}

#ifndef SETS // else cl/step/sets.cl goes on
// The sums of part g of the numbers, which has `share` atoms, for many atoms; there are `parts` of them.
ALWAYS_INLINE void gather_part(uint g, __global const accum *measured, __global accum *partial, uint stride, uint share, uint n, uint parts,
                               __local accum *shared) {
    const uint first = min(g * share, n), last = min(first + share, n);
#if CLUSTER > 1 // as where one launch makes several steps (cl/force/whole_steps.cl)
    accum totals[FEEDBACK_SUMS];
    add_up(totals, measured + first, stride, last - first, 0);
    for (uint k = 0; k < FEEDBACK_SUMS; k++) partial[k * parts + g] = totals[k];
#else
    const uint lid = get_local_id(0);
    for (uint k = 0; k < FEEDBACK_SUMS; k++) {
        accum sum = 0;
        for (uint i = first + lid; i < last; i += GATHER_LOCAL) sum += measured[k * stride + i];
        shared[k * GATHER_LOCAL + lid] = sum;
    }
    ADD_TREES(shared, lid, GATHER_LOCAL)
    if (lid == 0)
        for (uint k = 0; k < FEEDBACK_SUMS; k++) partial[k * parts + g] = shared[k * GATHER_LOCAL];
#endif
}

#if CLUSTER > 1
#define SHARED_SUMS __local accum *shared = 0;
#else
#define SHARED_SUMS __local accum shared[FEEDBACK_SUMS * GATHER_LOCAL];
#endif

// The parts from `begin` on.
__kernel __attribute__((reqd_work_group_size(GATHER_LOCAL, 1, 1)))
void gather_measured(__global const accum *restrict measured, __global accum *restrict partial, uint stride, uint share,
                     uint n, uint parts, uint begin) {
    SHARED_SUMS
    gather_part(begin + get_group_id(0), measured, partial, stride, share, n, parts, shared);
}

// Where ranks share the atoms: the parts that the borders behind each rank but the last one cut (cl/comm/step_sums.cl).
__kernel __attribute__((reqd_work_group_size(GATHER_LOCAL, 1, 1)))
void gather_cut(__global const accum *restrict measured, __global accum *restrict partial, uint stride, uint share, uint n, uint parts,
                __global const uint *restrict ends) {
    SHARED_SUMS
    const uint end = ends[get_group_id(0) + 1];
    if (end % share > 0) gather_part(end / share, measured, partial, stride, share, n, parts, shared);
}

// One group: with `after` the sums of n numbers and the end of `step`, whose parameters begin at `row`, with `before` the
// beginning of the next one; `lo` and `hi` as remember() has them.
__kernel __attribute__((reqd_work_group_size(FEEDBACK_LOCAL, 1, 1)))
void advance_feedback(__global const accum *restrict measured, uint stride, __global const accum *restrict parameters,
                      uint row, uint next_row, __global accum *restrict memory, __global Box *restrict box, accum4 lo,
                      accum4 hi, __global const uint *restrict status, uint step, int after, int before, uint n) {
    __local accum shared[FEEDBACK_SUMS * FEEDBACK_LOCAL];
    accum totals[FEEDBACK_SUMS];
    add_up(totals, measured, stride, after ? n : 0, shared);
    if (get_local_id(0) == 0 && !halted(status, step)) {
        RECALL(numbers, memory)
        remember(numbers, memory, totals, parameters + row, parameters + next_row, box, lo, hi, after, before);
    }
}
#endif
