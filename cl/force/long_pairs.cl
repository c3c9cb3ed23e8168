// Forces of long pairs, whose lists are those of cl/neighbor/build_long.cl (after add_places.cl and long_layout.cl). They are left in
// memory, atom by atom, for the neighbour loop to add (`other_forces` of cl/force/accumulate.cl). A work-group, PAIR_LOCAL = LANES
// work-items, takes a row; a work-item takes the owners near an atom, or on CPUs those near many.

#define LONG_ARGUMENTS \
    __global const staged *restrict position, __global const uint *restrict held, __global const real *restrict table, __constant const Box *box, \
    __global real *restrict long_force, __global real *restrict long_tally, __global const uint *restrict status, uint step
#if TALLY && defined(CHARGES)
#define STORE_LONG(i) { \
    tallies.s7 = coulombs.x; \
    vstore3(total, i, long_force); \
    vstore8(tallies, i, long_tally); \
}
#elif TALLY
#define STORE_LONG(i) { \
    vstore3(total, i, long_force); \
    vstore8(tallies, i, long_tally); \
}
#else
#define STORE_LONG(i) vstore3(total, i, long_force);
#endif

__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1)))
void long_rows(LONG_ARGUMENTS, __global const uint *restrict owners, __global const uint *restrict rows,
               __global const uint *restrict entries, __global const uint *restrict counts INPUT_ARGUMENTS) {
    //= insert lane_space
    const uint lane = get_local_id(0), row = get_group_id(0);
    const int active = row < counts[COUNT_OWNERS] && !halted(status, step);
    const uint i = active ? owners[row] : 0;
    const uint2 part = active ? vload2(row, rows) : (uint2)(0);
    INPUT_MOMENT
    Sums sums = {0};
    for (uint k = lane * VW; k < part.y; k += PAIR_LOCAL * VW)
        add_places(&sums, entries + part.x + k, part.y - k, i, position, table, box INPUT_PASSED);
    //= insert lane_totals
    if (active && lane == 0) STORE_LONG(i)
}

__kernel void long_others(LONG_ARGUMENTS, __global const uint *restrict near_owners, uint near_room, uint stride, uint n INPUT_ARGUMENTS) {
    if (halted(status, step)) return;
    INPUT_MOMENT
#if LONG_LOCAL == 1
    const uint share = (n + (uint)get_global_size(0) - 1) / (uint)get_global_size(0);
    uint i = min((uint)get_global_id(0) * share, n);
    const uint last = min(i + share, n);
    for (; i < last; i++) {
#else
    const uint i = get_global_id(0);
    if (i < n) {
#endif
        const uint number = held[i];
        if (number != 0 && number != OWNS_ROW) {
            Sums sums = {0};
            for (uint k = 0; k < number; k += VW)
                add_places(&sums, near_owners + NEAR_OWNER(i, k), number - k, i, position, table, box INPUT_PASSED);
            real3 total = force_of(&sums);
#if TALLY
            real8 tallies = tallies_of(&sums);
#ifdef CHARGES
            real3 coulombs = (real3)(SUM(sums.coulomb) / 2, 0, 0);
#endif
#endif
            STORE_LONG(i)
        }
    }
}
