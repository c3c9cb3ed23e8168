// No loop over neighbours: where all forces come from slots (gather.cl), of which with BY_LANES each of the LANES work-items of an atom adds up
// some. With STEPS on CPUs a work-item takes a share of the atoms.
#if TALLY
#define NO_TALLIES real8 tallies = 0;
#define TALLIES_OF_LANES(tally_) ADD_LANES_8(tally_sums, tally_, lane)
#else
#define NO_TALLIES
#define TALLIES_OF_LANES(tally_)
#endif
#if TALLY && defined(CHARGES)
#define NO_COULOMB real3 coulombs = 0;
#else
#define NO_COULOMB
#endif
#if defined(STEPS) && CLUSTER > 1
#define LOAD_BUILT(i)
#define MY_SHARE \
    const uint from = (ulong)n * get_group_id(0) / get_num_groups(0), to = (ulong)n * (get_group_id(0) + 1) / get_num_groups(0); \
    const uint active = 1, lane = 0;
#define MY_OCTANTS const uint2 my_octants = octants_of_group(blocks, octants_of(box), n);
#define EACH_ITEM \
    for (uint item = from; item < to; item++) { \
        const uint i = first + item;
#else
#define MY_SHARE const uint item = get_global_id(0) / LANES, lane = MODULO(get_global_id(0), LANES);
#define MY_OCTANTS
#define EACH_ITEM \
    const int active = item < n && !halted(status, step); \
    const uint i = first + (active ? item : 0); {
#endif
#ifdef BY_LANES
#define SLOTS_OF_LANES(i, me, force_, tally_) \
    if (active) ADD_SLOTS_FROM(i, lane, LANES, me, force_, tally_) \
    ADD_LANES_3(force_sums, force_, lane) \
    TALLIES_OF_LANES(tally_)
#else
#define SLOTS_OF_LANES(i, me, force_, tally_)
#endif
// A work-item, or some, to an atom.
LOOP_KERNEL(GROUP_TOLD EXCHANGE_GROUP)
PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS PASS_TABLES) {
    PASS_SPACE
    LANE_SPACE
    MY_SHARE
    LOAD_BUILT(first + min(item, n - 1))
    AMID
    MY_OCTANTS
    EACH_STEP
    PASSES_WITHIN
    EACH_ITEM
    const staged me = position[i];
    const uint my_type = staged_type(me);
    SEEN_MINE(i)
    real3 total = 0;
    NO_TALLIES
    NO_COULOMB
    SLOTS_OF_LANES(i, me, total, tallies)
    if (active && lane == 0) {
        FINISH_ATOM(i, me, my_type)
    }
    }
    REST_OF_STEP
    END_STEP
}
