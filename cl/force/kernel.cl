// What all neighbour loops have in common: the arguments of their kernels. The loop over the list is a file of its own (loop_plain.cl,
// loop_picked.cl, loop_tile.cl, loop_cluster.cl, loop_atoms.cl). What it consists of are pieces of other files, of which
// src/engine/force/program.rs chooses one for each:
//   lane_space, lane_totals, cluster_sums, atom_totals, other_forces   what is added up: accumulate.cl, or first_pass.cl or partial_forces.cl
//   output                  what becomes of it: these two, or output_forces.cl, output_fused.cl, output_coupled.cl, output_count.cl
//   begin_step, end_step    what stands around the loop in a launch of several steps: whole_steps.cl
// What they are compiled for:
//   TILE         lists name places in local memory, TILE_ATOMS of them
//   LANES        work-items per atom (a power of two)
//   PAIR_LOCAL   work-items per group (BLOCK_LOCAL with TILE)
//   FUSED        the kernel that makes a whole step instead (after step.cl), or with
//   FEEDBACK     the first part of one, and with STEPS all of it
//   STEPS        several of them in one launch (after barrier.cl)
//   FILLS_DEVICE      there: as many work-items as the device holds at a time, so each has few registers and little local memory
//   COUNT_PAIRS  the kernel that counts pairs by distance (accumulate.cl)
//   MOLECULES    atoms have bonds, or pairs that count in part (after bonds.cl)

#ifdef MOLECULES
#define STATUS_ACCESS __global // bonds may break
#else
#define STATUS_ACCESS __global const
#define MOLECULE_ARGUMENTS
#define MOLECULE_NAMES
#endif

// With a limit of REGISTERS, a build option of NVIDIA's compiler, which would not keep to it where the group is told.
#ifdef REGISTERS
#define GROUP_TOLD
#else
#define GROUP_TOLD __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
#endif
// A pass before the last one that one launch of several steps makes, too, is a function of its kernel (WITHIN, src/engine/force/within.rs), in
// loop_cluster.cl a BODY.
#ifdef WITHIN
#define LOOP_KERNEL(attributes) ALWAYS_INLINE void
#else
#define LOOP_KERNEL(attributes) __kernel attributes void
#endif

// With STEPS, where forces have passes, PASS_CALLS makes those before the last one, with PASS_TABLES beside all other arguments
// (cl/force/whole_steps.cl).
#ifndef PASS_CALLS
#define PASS_SPACE
#define PASS_TABLES
#elif CLUSTER > 1
#define OCTANTS_PASSED , my_octants
#else
#define OCTANTS_PASSED
#endif

// How many vectors of pairs have their positions loaded at once. Where it is 2, an atom stays in registers from step to step (`own`).
#if defined(STEPS) && CLUSTER == 1 && !defined(FEEDBACK) && !defined(DOUBLE) && !FILLS_DEVICE && !defined(MADE) && !defined(PASS_CALLS)
#define AHEAD 2
#else
#define AHEAD 1
#endif

// The kernels: PAIR_ARGUMENTS in, an atom's force out.
#define WHOLE_STEP_ARGUMENTS \
    ATOM_ARGUMENTS, STAGED_TO packed_next, __global const staged *restrict x_hold, \
    __global uint *restrict status, uint step, real trigger, int check \
    VELOCITY_MOVED HALF_STEP_V_KEPT BARRIER_ARGUMENTS FORCE_ARGUMENT AHEAD_ARGUMENTS
#define WHOLE_STEP_NAMES \
    ATOM_NAMES, packed_next, x_hold, status, step, trigger, check \
    VELOCITY_MOVED_NAME HALF_STEP_V_NAME BARRIER_NAMES FORCE_NAMES AHEAD_NAMES
#if defined(STEPS) && (defined(BOX_MOVES) || defined(BOX_CHANGES))
#define BOX_ARGUMENT __global Box *all_box
#elif defined(WITHIN)
#define BOX_ARGUMENT BOX_SPACE const Box *box
#else
#define BOX_ARGUMENT __constant const Box *box
#endif
// PAIR_NAMES hands them on to a function that has the same (PAIR_BODY_ARGUMENTS).
#define PAIR_ARGUMENTS PAIR_ARGUMENTS_WITH(BOX_ARGUMENT)
#define PAIR_BODY_ARGUMENTS PAIR_ARGUMENTS_WITH(BOX_SPACE const Box *box)
#define PAIR_ARGUMENTS_WITH(box_argument) \
    STAGED_FROM position, __global const uint *restrict list, \
    __global const uint *restrict neighbors, __global const uint *restrict blocks, \
    __global const staged *restrict centers, __global const uint *restrict tiles, \
    __global const real *restrict table, box_argument, uint first, uint n, uint rows, uint stride, \
    uint parts INPUT_ARGUMENTS
#define PAIR_NAMES position, list, neighbors, blocks, centers, tiles, table, box, first, n, rows, stride, parts INPUT_NAMES
