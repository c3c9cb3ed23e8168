// No loop over neighbours: where all forces come from slots (gather.cl), of which with BY_LANES each of the LANES work-items of an atom adds up
// some. A work-item, or some, to an atom; with STEPS on CPUs a share of the atoms to a work-item.
LOOP_KERNEL(GROUP_TOLD EXCHANGE_GROUP)
PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS PASS_TABLES) {
    PASS_SPACE
    //= insert lane_space
#if defined(STEPS) && CLUSTER > 1
    const uint from = (ulong)n * get_group_id(0) / get_num_groups(0), to = (ulong)n * (get_group_id(0) + 1) / get_num_groups(0);
    const uint active = 1, lane = 0;
#else
    const uint item = get_global_id(0) / LANES, lane = MODULO(get_global_id(0), LANES);
    LOAD_BUILT(first + min(item, n - 1))
#endif
    //= insert begin_step
#if defined(STEPS) && CLUSTER > 1
    for (uint item = from; item < to; item++) {
        const uint i = first + item;
#else
    const int active = item < n && !halted(status, step);
    const uint i = first + (active ? item : 0);
    {
#endif
        const staged me = position[i];
        const uint my_type = staged_type(me);
        OWN_INPUTS(i)
        real3 total = 0;
#if TALLY
        real8 tallies = 0;
#ifdef CHARGES
        real3 coulombs = 0;
#endif
#endif
#ifdef BY_LANES
        if (active) ADD_SLOTS_FROM(i, lane, LANES, me, total, tallies)
        ADD_LANES(3, force_sums, total, lane)
#if TALLY
        ADD_LANES(8, tally_sums, tallies, lane)
#endif
#endif
        if (active && lane == 0) {
            //= insert other_forces
            //= insert output
        }
    }
    //= insert end_step
}
