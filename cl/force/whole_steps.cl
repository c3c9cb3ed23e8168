// Where one launch makes several whole steps (STEPS): what stands around the loop over neighbours, for all loops (after kernel.cl). In other
// launches there is nothing of it. src/gpu/source.rs says how pieces come to where they are inserted.
//   TOTALS     one work-item makes the steps, and functions of fixes go on with sums over all atoms. The forces of all atoms are left in
//              `force`. Then come these sums, one after another as pre_force_sums of cl/analysis/fix_sums.cl has them (EACH_TOTAL,
//              src/engine/step/stages.rs). Then comes what final_initial_step does, into the other buffer of staged positions
//   FEEDBACK   a fix goes on with sums over all atoms at the end of each step: after the kicks of all atoms, which are left in memory, comes what
//              gather_measured, advance_feedback and final_initial_step do (cl/step/coupling.cl)
//   SETS       on CPUs: it goes on with sets of atoms, each by itself: then it is what advance_sets and final_initial_step do (cl/step/sets.cl)

// The part of a work-group of all that there are.
#define SHARE_OF(count, k) ((ulong)(count) * (get_group_id(0) + (k)) / get_num_groups(0))

//= piece begin_step
#ifdef STEPS
#if defined(BOX_CHANGES) && !defined(BOX_MOVES)
    __global const Box *box = box_along ? ahead + ahead_at : all_box;
#elif defined(BOX_MOVES)
    // Each work-group moves a box of its own, all alike: the first one that of all, which the others have copied before they meet.
    __global Box *const box = get_group_id(0) == 0 ? all_box : boxes + get_group_id(0);
    if (get_group_id(0) > 0)
        for (uint word = get_local_id(0); word < sizeof(Box) / sizeof(uint); word += get_local_size(0))
            ((__global uint *)box)[word] = ((__global const uint *)all_box)[word];
    barrier(CLK_GLOBAL_MEM_FENCE);
#endif
#if defined(FEEDBACK) && !defined(TOTALS) && !defined(SETS)
#if CLUSTER == 1
    __local accum added[FEEDBACK_SUMS * GROUP_ATOMS], shared[FEEDBACK_SUMS * FEEDBACK_LOCAL];
#endif
    // All work-groups add up the numbers of all alike, so each has a place of its own for what is remembered. The first one's is that of all:
    // the others have read it before it changes, as they meet before that.
    const uint remembered_at = get_group_id(0) == 0 ? 0 : spare + (uint)get_group_id(0) * REMEMBERED;
    RECALL(numbers, memory)
    if (get_local_id(0) == 0 && remembered_at > 0)
        for (uint k = 0; k < REMEMBERED; k++) memory[remembered_at + k] = numbers[k];
#endif
#if CLUSTER > 1 // a work-group is one work-item, one for each core or a single one
    const uint2 my_octants = octants_of_group(blocks, octants_of(box), n);
#endif
    // All before the step `stop` up to a halt, from one buffer of positions into the other by turns. The rows of fixes' numbers may go along.
#if CLUSTER == 1
    __local int on;
#endif
    uint turn = group_barrier[BARRIER_TURN];
#if CLUSTER > 1 || defined(FEEDBACK)
    const uint along = next_row - row;
#endif
    if (passed_over(status, &step)) stop = step;
    const uint start = step;
#if CLUSTER > 1
    for (; step < stop && go_on(group_barrier, status, turn++, step, step == start);
         step++, row += along, next_row += along, NEXT_BOX SWAP_POSITIONS) {
#else
    for (; step < stop; step++, ROWS_NEXT NEXT_BOX SWAP_POSITIONS) {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (get_local_id(0) == 0) on = go_on(group_barrier, status, turn, step, step == start);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (!on) break;
        turn++;
#endif
#ifdef PASS_CALLS
        // What passes before the last one leave is known to all once they have met; where that is a list there may be no room for it. (Behind
        // a break of all work-items that no barrier follows, PoCL 3.1 skips the next block.)
        PASS_CALLS
#if CLUSTER > 1
        if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break;
        if (halted(status, step)) break;
#else
        MEET(on, turn, 0)
#ifdef SLOT_SETS
        if (halted(status, step)) break;
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#endif
#endif
#endif
//= end

//= piece end_step
#ifdef TOTALS
        EACH_TOTAL
        for (uint i = 0; i < n; i++) {
            accum sums[ALL_SUMS]; // of no interest here
            for (uint k = 0; k < ALL_SUMS; k++) sums[k] = 0;
            Atom a = LOAD_ATOM(i, vload3(i, force));
            const Here now = HERE(row, step), then = HERE_IN_BOX(next_row, step + 1, BOX_THEN);
            MOVE_ON(a, i, now, then)
        }
#elif defined(STEPS) && defined(FEEDBACK)
#ifdef SETS
        // A core goes on with its share of the sets.
        if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break;
        for (uint set = SHARE_OF(sets, 0); set < SHARE_OF(sets, 1); set++)
            advance_set(set, 0, measured, stride, set_first, parameters + row, parameters + next_row, memory, builds, 1, 1, 0);
        if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break;
        for (uint i = SHARE_OF(n, 0); i < SHARE_OF(n, 1); i++) {
#elif CLUSTER > 1
        // A core adds up the numbers of its share of blocks of FEEDBACK_BLOCK atoms, to stand behind the atoms'. They have come together before,
        // so none leaves here: what looks like that keeps PoCL 3.1 from leaving out the meeting.
        const uint blocks_ = (n + FEEDBACK_BLOCK - 1) / FEEDBACK_BLOCK;
        __global accum *const added = measured + FEEDBACK_SUMS * stride;
        accum totals[FEEDBACK_SUMS];
        if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break;
        for (uint block = SHARE_OF(blocks_, 0); block < SHARE_OF(blocks_, 1); block++) {
            const uint begin_ = block * FEEDBACK_BLOCK;
            add_up(totals, measured + begin_, stride, min((uint)FEEDBACK_BLOCK, n - begin_), 0);
            for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * blocks_ + block] = totals[k];
        }
        if (wait_for_groups(group_barrier, turn++, 1, 0) & BARRIER_APART) break;
        add_up(totals, added, blocks_, blocks_, 0);
        remember(numbers, memory + remembered_at, totals, parameters + row, parameters + next_row, TO_MOVE, 1, 1);
        for (uint i = SHARE_OF(n, 0); i < SHARE_OF(n, 1); i++) {
#else
        if (!active && lane == 0)
            for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * GROUP_ATOMS + get_local_id(0) / LANES] = 0;
        ADD_TREES(added, get_local_id(0), GROUP_ATOMS)
        if (get_local_id(0) == 0)
            for (uint k = 0; k < FEEDBACK_SUMS; k++) measured[k * get_num_groups(0) + get_group_id(0)] = added[k * GROUP_ATOMS];
        MEET(on, turn, 0)
        accum totals[FEEDBACK_SUMS];
        add_up(totals, measured, get_num_groups(0), get_num_groups(0), shared);
        if (get_local_id(0) == 0)
            remember(numbers, memory + remembered_at, totals, parameters + row, parameters + next_row, TO_MOVE, 1, 1);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (active && lane == 0) {
#endif
            Atom a = LOAD_ATOM(i, vload3(i, force));
            const Here now = HERE_IN_BOX(row, step, BOX_THEN), then = HERE_IN_BOX(next_row, step + 1, BOX_THEN);
            MOVE_ON(a, i, now, then)
        }
#endif
#ifdef STEPS
    }
#if defined(BOX_CHANGES) && !defined(BOX_MOVES)
    if (box_along && step > start && get_global_id(0) == 0) *all_box = *box;
#endif
    // A halt in their midst begins the `cycle`, where there is one: all have seen it, and none looks again.
    if (cycle != 0 && get_global_id(0) == 0 && step > start && step < stop) begin_cycle(status, cycle, step);
#endif
//= end
