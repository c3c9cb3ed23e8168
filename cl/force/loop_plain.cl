// The neighbour loop over plain Verlet lists: on GPUs for smaller systems, and on CPUs without vectors.
//
// Plain Verlet lists: LANES work-items share an atom, each with a list of its own; an entry is a place in `position`.

// Adds the pairs with the atoms at the VW places j.
//= piece add_entries
                LOAD_POSITIONS(OF_VECTOR)
                realv dx = SEPARATION(me.x, x, ux, mx), dy = SEPARATION(me.y, y, uy, my);
                const realv dz = SEPARATION(me.z, z, uz, mz);
                SHEAR(realv, dx, dy, dz)
                const uintv their_types = convert_uintv(w);
                const Numbers numbers = numbers_of_pairs(my_type, their_types, table);
                add_pairs(&sums, dx, dy, dz, numbers, my_type, their_types, table INPUT_OF_LIST);
                PARK_SUMS
//= end

// Where a launch makes several steps, caches are empty after each meeting, and lists stay the same: so how many entries a list has
// and the first KEPT_VECTORS of them are read once, for local memory (src/engine/step/multi_step.rs; 0 in other launches).
#define COUNT_IN_MEMORY(part) (active ? neighbors[(part * stride + i) * LANES + lane] : 0)
#if KEPT_VECTORS > 0
#define KEPT_AT(k) kept[(k) / VW * PAIR_LOCAL + get_local_id(0)]
#define KEEP_LIST \
    __local uintv kept[KEPT_VECTORS * PAIR_LOCAL]; \
    const uint own_count = item / LANES < n ? neighbors[(first + item / LANES) * LANES + lane] : 0; \
    for (uint k = 0; k < min(own_count, min(rows, (uint)KEPT_VECTORS) * VW); k += VW) \
        KEPT_AT(k) = LOAD_LIST(list + list_begin(item, rows) + k / VW * (LIST_WIDTH * WORDS));
#define ACTIVE item / LANES < n // nothing has halted what goes on
#define COUNT_OF(part) (part == 0 ? own_count : COUNT_IN_MEMORY(part))
#define LAST_KEPT min(count, (uint)(KEPT_VECTORS * VW))
#else
#define KEEP_LIST
// No early return when halted: PoCL 3.1 loses its way between that and the barriers of the lanes.
#define ACTIVE item / LANES < n && !halted(status, step)
#define COUNT_OF(part) COUNT_IN_MEMORY(part)
#endif
LOOP_KERNEL(GROUP_TOLD EXCHANGE_GROUP)
PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS PASS_TABLES) {
    PASS_SPACE
    //= insert lane_space
    ROWS_SPACE(PAIR_LOCAL)
    PARKED_SUMS(PAIR_LOCAL)
    const uint item = get_global_id(0);
    const uint lane = MODULO(item, LANES);
    LOAD_BUILT(first + min(item / LANES, n - 1))
    KEEP_LIST
#if AHEAD == 2
    Atom own = LOAD_ATOM(first + min(item / LANES, n - 1), 0);
#endif
    //= insert begin_step
    const int active = ACTIVE;
    const uint i = first + (active ? item / LANES : 0);
    const staged me = position[i];
    const uint my_type = staged_type(me);
    OWN_INPUTS(i)
    __global const uint *entries = list + list_begin(item, rows);
#ifdef NO_TEMPORARIES
#define me position[i]
#define ux box->unit[0]
#define uy box->unit[1]
#define uz box->unit[2]
#define mx box->unit_rest[0]
#define my box->unit_rest[1]
#define mz box->unit_rest[2]
#else
    const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
    const real mx = box->unit_rest[0], my = box->unit_rest[1], mz = box->unit_rest[2];
#endif
    SHEAR_OF(box)
    Sums sums = {0};
    // A list that was made in several windows has as many counts.
    for (uint part = 0; part < parts; part++) {
        const uint count = COUNT_OF(part);
        uint k = 0;
#if KEPT_VECTORS > 0
#if AHEAD == 1 || defined(CHARGES) || defined(VELOCITIES) || defined(NO_TEMPORARIES)
        if (part == 0)
            for (; k < LAST_KEPT; k += VW, entries += LIST_WIDTH * WORDS) {
                const uintv j = KEPT_AT(k);
                //= insert add_entries
            }
#else
        while (part == 0 && k < LAST_KEPT) {
            staged near[AHEAD * VW];
            for (uint t = 0; t < AHEAD; t++)
                if (k + t * VW < LAST_KEPT) {
                    uint j[VW];
                    STOREV(KEPT_AT(k + t * VW), j);
                    for (uint e = 0; e < VW; e++) near[t * VW + e] = position[j[e]];
                }
            for (uint t = 0; t < AHEAD; t++)
                if (k < LAST_KEPT) {
                    const staged *const position = near + t * VW;
                    const uintv j = FROM_0;
                    //= insert add_entries
                    k += VW;
                    entries += LIST_WIDTH * WORDS;
                }
        }
#endif
#endif
#pragma unroll UNROLL
        for (; k < count; k += VW, entries += LIST_WIDTH * WORDS) {
            const uintv j = LOAD_LIST(entries);
            //= insert add_entries
        }
        NEEDLESS_BARRIER
    }
    //= insert lane_totals
    if (active && lane == 0) {
        //= insert other_forces
        //= insert output
    }
    //= insert end_step
}
