// The neighbour loop over plain Verlet lists where a pair takes many times as long as a distance: on GPUs, with VW = 1.
//
// LANES work-items share an atom, each with a list of its own; an entry is a place in `position`. A work-item marks which of 32 entries are
// within the cutoff, a bit for each, and takes these: so work-items side by side wait for the one that has the most of them, not each for
// all entries of all others. Where a first pass leaves its marks (MARKS_LEFT) of the first 32 entries, the last one goes by them (MARKED).

// The way to the atom at the place j, and its type.
//= piece separation
                    const staged other = position[j];
                    real dx = SEPARATION(me.x, other.x, ux, mx), dy = SEPARATION(me.y, other.y, uy, my);
                    const real dz = SEPARATION(me.z, other.z, uz, mz);
                    SHEAR(real, dx, dy, dz)
                    const uint type = staged_type(other);
//= end

LOOP_KERNEL(GROUP_TOLD EXCHANGE_GROUP)
PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS PASS_TABLES) {
    PASS_SPACE
    //= insert lane_space
    const uint item = get_global_id(0);
    const uint lane = MODULO(item, LANES);
    LOAD_BUILT(first + min(item / LANES, n - 1))
    //= insert begin_step
    // No early return when halted: PoCL 3.1 loses its way between that and the barriers of the lanes.
    const int active = item / LANES < n && !halted(status, step);
    const uint i = first + (active ? item / LANES : 0);
    const staged me = position[i];
    const uint my_type = staged_type(me);
    OWN_INPUTS(i)
    __global const uint *entries = list + list_begin(item, rows);
    const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
    const real mx = box->unit_rest[0], my = box->unit_rest[1], mz = box->unit_rest[2];
    SHEAR_OF(box)
    Sums sums = {0};
    // A list that was made in several windows has as many counts.
    for (uint part = 0; part < parts; part++) {
        const uint count = active ? neighbors[(part * stride + i) * LANES + lane] : 0;
        for (uint begin = 0; begin < count; begin += 32) {
            const uint held = min(count - begin, 32u);
            uint near = 0;
#ifdef MARKED
            const int marked = part == 0 && begin == 0;
            if (marked) near = marks[i * LANES + lane];
#else
            const int marked = 0;
#endif
            if (!marked) {
#pragma unroll 4
                for (uint k = 0; k < held; k++) {
                    const uint j = entries[k * LIST_WIDTH];
                    //= insert separation
                    const int within = FMA(dz, dz, FMA(dy, dy, dx * dx)) < cutoffs_of_pairs(my_type, type, table);
                    near |= (uint)within << k;
                }
            }
#ifdef MARKS_LEFT
            if (part == 0 && begin == 0) marks[i * LANES + lane] = near;
#endif
            for (; near; near &= near - 1) {
                const uint j = entries[(31 - clz(near & -near)) * LIST_WIDTH];
                //= insert separation
                const Numbers numbers = numbers_of_pairs(my_type, type, table);
                add_pairs(&sums, dx, dy, dz, numbers, my_type, type, table INPUT_OF_LIST);
            }
            entries += held * LIST_WIDTH;
        }
    }
    //= insert lane_totals
    if (active && lane == 0) {
        //= insert other_forces
        //= insert output
    }
    //= insert end_step
}
