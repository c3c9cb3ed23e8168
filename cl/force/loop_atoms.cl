// No loop over neighbours: where all forces come from slots (gather.cl).
__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS) {
    const uint item = get_global_id(0);
    if (item >= n || halted(status, step)) return;
    const uint i = first + item;
    const staged me = position[i];
    const uint my_type = staged_type(me);
    SEEN_MINE(i)
    Sums sums = {0};
    LANE_TOTALS(sums, 0)
    FINISH_ATOM(i, me, my_type)
}
