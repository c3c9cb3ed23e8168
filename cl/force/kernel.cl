// What all neighbour loops have in common: the arguments of their kernels, and how an atom comes in. It stands after
// accumulate.cl. One file says what becomes of an atom's force (output_forces.cl, output_fused.cl, output_coupled.cl,
// output_count.cl), one is the loop over the list (loop_plain.cl, loop_tile.cl, loop_cluster.cl): src/engine/force/program.rs
// puts them together. What they are compiled for:
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
#define ADD_MOLECULE(i, me, force_, tally_)
#endif

// With a limit of REGISTERS, a build option of NVIDIA's compiler, which would not keep to it where the group is told.
#ifdef REGISTERS
#define GROUP_TOLD
#else
#define GROUP_TOLD __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
#endif
// A pass before the last one that one launch of several steps makes, too, is a function of its kernel (WITHIN, src/engine/force/within.rs).
#ifdef WITHIN
#define LOOP_KERNEL(attributes) ALWAYS_INLINE void
#else
#define LOOP_KERNEL(attributes) __kernel attributes void
#endif

// With STEPS, where forces have passes: PASS_CALLS makes those before the last one, with PASS_TABLES beside all other arguments. What they leave is
// known to all once they have met; where that is a list there may be no room for it. (Behind a break of all work-items
// that no barrier follows, PoCL 3.1 skips the next block.)
#ifdef PASS_CALLS
#ifdef SLOT_SETS
#define LEAVE_HALTED \
    if (halted(status, step)) break; \
    barrier(CLK_LOCAL_MEM_FENCE);
#else
#define LEAVE_HALTED
#endif
#if CLUSTER > 1
#define OCTANTS_PASSED , my_octants
#define PASSES_WITHIN \
    PASS_CALLS \
    if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break; \
    if (halted(status, step)) break;
#else
#define OCTANTS_PASSED
#define PASSES_WITHIN \
    PASS_CALLS \
    MEET(on, turn, 0) \
    LEAVE_HALTED
#endif
#else
#define PASS_SPACE
#define PASS_TABLES
#define PASSES_WITHIN
#endif

// An atom with the force on it: from memory, or as the step before has left it; and vectors of pairs whose positions are loaded at once.
#if defined(STEPS) && CLUSTER == 1 && !defined(FEEDBACK) && !defined(DOUBLE) && !FILLS_DEVICE && !defined(MADE) && !defined(PASS_CALLS)
#define AHEAD 2
#define LOAD_OWN(i) Atom own = LOAD_ATOM(i, 0);
#define ATOM_WITH(force_, i) Atom a = own; a.f = force_;
#define KEEP_OWN own = a;
#else
#define AHEAD 1
#define LOAD_OWN(i)
#define ATOM_WITH(force_, i) Atom a = LOAD_ATOM(i, force_);
#define KEEP_OWN
#endif

// The kernels: PAIR_ARGUMENTS in, an atom's force out.
#define WHOLE_STEP_ARGUMENTS \
    ATOM_ARGUMENTS, STAGED_TO packed_next, __global const staged *restrict x_hold, \
    __global uint *restrict status, uint step, real trigger, int check VELOCITY_MOVED HALF_STEP_V_KEPT BARRIER_ARGUMENTS FORCE_ARGUMENT AHEAD_ARGUMENTS
#if defined(STEPS) && (defined(BOX_MOVES) || defined(BOX_CHANGES))
#define BOX_ARGUMENT __global Box *all_box
#elif defined(WITHIN)
#define BOX_ARGUMENT BOX_SPACE const Box *box
#else
#define BOX_ARGUMENT __constant const Box *box
#endif
#define PAIR_ARGUMENTS \
    STAGED_FROM position, __global const uint *restrict list, \
    __global const uint *restrict neighbors, __global const uint *restrict blocks, \
    __global const staged *restrict centers, __global const uint *restrict tiles, \
    __global const real *restrict table, BOX_ARGUMENT, uint first, uint n, uint rows, uint stride, \
    uint parts SEEN_ARGUMENTS
