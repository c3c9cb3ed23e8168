// The neighbour loop where CLUSTER atoms share a list (after kernel.cl and append.cl; cl/neighbor/list_layout.cl has the layout): on CPUs.
// A vector holds the pairs of the cluster's atoms, one after the other, with the first of WORDS entries, then with the next one. So a
// position that is loaded serves four pairs, and comes to its components by a shuffle within 128 bits.
#if CLUSTER != 4
#error "vectors are made of four atoms and their others"
#endif

#define uint_4 uint4
#define real_4 JOIN(REAL, 4)
#define staged_4 JOIN(STAGED, 4)
// Of WORDS entries: EACH(type, m) is m of each place j, four times; SPREAD does that with a vector of entries, and
// SPREAD_X, ... with positions loaded whole (LOAD_OTHERS). FOUR adds up what a vector has of each atom of the cluster.
#define OTHER(p, m) position[(p)[m] & PLACE_MASK] // places out of a vector would cost two instructions each
#if VW == 4
typedef staged others_t;
#define LOAD_ENTRIES(p) (*(p))
#define LOAD_OTHERS(p) OTHER(p, 0)
#define EACH(type, m) (type)(m(j))
#define SPREAD(e) (uintv)(e)
#define SPREAD_X(q) (stagedv)((q).s0)
#define SPREAD_Y(q) (stagedv)((q).s1)
#define SPREAD_Z(q) (stagedv)((q).s2)
#define SPREAD_W(q) (stagedv)((q).s3)
#define FOUR(a) (a)
#define FIRST_FOUR(v) (v)
#define TYPES_OF(q) convert_uint((q).s3)
#elif VW == 8
typedef JOIN(STAGED, 8) others_t;
#define LOAD_ENTRIES(p) vload2(0, p)
#define LOAD_OTHERS(p) (others_t)(OTHER(p, 0), OTHER(p, 1))
#define EACH(type, m) (type)(m(j.s0)), (type)(m(j.s1))
#define SPREAD(e) (e).s00001111
#define SPREAD_X(q) (q).s00004444
#define SPREAD_Y(q) (q).s11115555
#define SPREAD_Z(q) (q).s22226666
#define SPREAD_W(q) (q).s33337777
#define FOUR(a) ((a).lo + (a).hi)
#define FIRST_FOUR(v) (v).lo
#define TYPES_OF(q) convert_uint2((q).s37)
#else
typedef JOIN(STAGED, 16) others_t;
#define LOAD_ENTRIES(p) vload4(0, p)
#define LOAD_OTHERS(p) (others_t)(OTHER(p, 0), OTHER(p, 1), OTHER(p, 2), OTHER(p, 3))
#define EACH(type, m) (type)(m(j.s0)), (type)(m(j.s1)), (type)(m(j.s2)), (type)(m(j.s3))
#define SPREAD(e) (e).s0000111122223333
#define SPREAD_X(q) (q).s000044448888cccc
#define SPREAD_Y(q) (q).s111155559999dddd
#define SPREAD_Z(q) (q).s22226666aaaaeeee
#define SPREAD_W(q) (q).s33337777bbbbffff
#define FOUR(a) (((a).lo.lo + (a).lo.hi) + ((a).hi.lo + (a).hi.hi))
#define FIRST_FOUR(v) (v).lo.lo
#define TYPES_OF(q) convert_uint4((q).s37bf)
#endif
// m of each atom of the cluster, as a vector; in the places that it does not fill stands its last one.
#define MINE(vector, four, m) (vector)(FILLED((four)(m(c), m(min(c + 1, last)), m(min(c + 2, last)), m(min(c + 3, last)))))
#define MY_X(k) position[k].x
#define MY_Y(k) position[k].y
#define MY_Z(k) position[k].z
#define MY_TYPE(k) staged_type(position[k])

// Where there are many types, the rows of a cluster's four atoms stand side by side in private memory: for each of the others one load
// brings a number of its four pairs. Of few types the row of a pair is chosen, of very many it is looked up (pairs.cl).
#if !defined(COMPACT) && PAIR_KINDS > 5 && PAIR_KINDS <= 32 && TYPES * (COEFFICIENTS + 1) <= 512
#define CLUSTER_ROWS
#define ROW_LENGTH (COEFFICIENTS + 1)
static inline void load_rows(real_4 *rows, uint4 types, __global const real *table) {
    for (uint four = 0; four < ROW_LENGTH / 4; four++) {
        const uint4 at = ROW_BEGIN(types, 1) + ROW_ENTRY(4 * four);
        for (uint kind = 0; kind < TYPES; kind++) {
            const real_4 a = vload4(kind, table + at.x), b = vload4(kind, table + at.y);
            const real_4 c = vload4(kind, table + at.z), d = vload4(kind, table + at.w);
            real_4 *row = rows + kind * ROW_LENGTH + 4 * four;
            row[0] = (real_4)(a.x, b.x, c.x, d.x);
            row[1] = (real_4)(a.y, b.y, c.y, d.y);
            row[2] = (real_4)(a.z, b.z, c.z, d.z);
            row[3] = (real_4)(a.w, b.w, c.w, d.w);
        }
    }
}
static inline Numbers numbers_of_entries(const real_4 *rows, entries_t types) {
    Numbers numbers;
    const entries_t j = (types - 1) * ROW_LENGTH;
    uint entry = 0;
#define OWN_ENTRY(row) rows[(row) + entry]
    numbers.cutsq = (realv)(EACH(real_4, OWN_ENTRY));
SHORT_LOOP
    for (entry = 1; entry <= COEFFICIENTS; entry++) numbers.c[entry - 1] = (realv)(EACH(real_4, OWN_ENTRY));
    return numbers;
}
#define NUMBERS_OF_ENTRIES numbers_of_entries(my_rows, TYPES_OF(others))
#else
#define NUMBERS_OF_ENTRIES numbers_of_pairs(my_types, their_types, table)
#endif

// What is seen of the atoms besides (pair_inputs.cl).
#ifdef CHARGES
#define CHARGES_MINE const realv my_charges = MINE(realv, real_4, CHARGE_OF);
#define CHARGES_OTHERS , 1, my_charges * (realv)(EACH(real_4, CHARGE_OF)), 0
#else
#define CHARGES_MINE
#define CHARGES_OTHERS COUNT_OF_PAIRS
#endif

// Sums, atom by atom.
#ifdef COMPACT
#define STORE_FOUR(name, p) \
    for (uint t_ = 0; t_ < CLUSTER; t_++) (p)[t_] = SUM(sums[t_].name);
#else
#define STORE_FOUR(name, p) vstore4(FOUR(sums.name), 0, p);
#endif

// COMPACT: where a pair takes many times as long as a distance (noise, tabulated functions, triplets). Of a cluster's pairs most are beyond the
// cutoff, or in no list: the places of those within it are put together, atom by atom. There they wait until there are VW of one atom. Where
// a first pass goes on with them, they stay until all are known: in private memory (SLOTS), or where the last pass finds them again and goes
// by them (NEAR_LEFT, NEAR_TAKEN). There is room for so many then; more are counted, and halt the run.
#ifdef SLOTS
#define ROOM (SLOTS + WORDS)
#elif !defined(NEAR_KEPT)
#define ROOM (VW + WORDS)
#endif

// Has the entries 4 KiB behind these brought into the first-level cache, past the second-level one, which is for positions: a
// step reads each list once, from far away, and processors by themselves ask for it too late. OpenCL's prefetch() does nothing
// in PoCL and calls a function in Intel's runtime; GPUs' compilers and simulators know none of clang's.
#if defined(__clang__) && defined(FETCH_AHEAD)
#define PREFETCH(entries) __builtin_prefetch((const void *)((size_t)(entries) + 4096), 0, 0);
#else
#define PREFETCH(entries)
#endif

// What a launch of several steps knows: the step with which it began, and where its group has what a fix remembers.
#if defined(STEPS) && defined(FEEDBACK) && !defined(TOTALS) && !defined(SETS)
#define LAUNCH_ARGUMENTS , uint start, uint remembered_at
#define LAUNCH_NAMES , start, remembered_at
#elif defined(STEPS)
#define LAUNCH_ARGUMENTS , uint start
#define LAUNCH_NAMES , start
#else
#define LAUNCH_ARGUMENTS
#define LAUNCH_NAMES
#endif

// The octants of a work-item, in the order of the curve. A work-item looks at no place behind their atoms: where atoms were lost
// nobody is there, with no type that coefficients could be looked up by.
#ifdef WITHIN
#define OCTANTS PAIR_KERNEL
#else
#define OCTANTS force_on_octants
#endif
BODY void OCTANTS(PAIR_BODY_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS, uint2 my_octants LAUNCH_ARGUMENTS PARKED_ARGUMENTS) {
    //= insert lane_space
    const uintv bits = (uintv)(FILLED((uint4)(1u << PLACE_BITS, 2u << PLACE_BITS, 4u << PLACE_BITS, 8u << PLACE_BITS)));
    for (uint octant = my_octants.x; octant < my_octants.y; octant++) {
        const uint2 atoms = vload2(2 * octant, blocks);
        const uint begin = max(atoms.x, first), end = min(atoms.y, first + n);
        if (begin >= end) continue;
        const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
        const real mx = box->unit_rest[0], my = box->unit_rest[1], mz = box->unit_rest[2];
        SHEAR_OF(box)
        const uint last = end - 1;
        __global const uint *entries = list + list_begin(cluster_slot(begin, first, octant), rows);
        for (uint c = begin; c < end; c += CLUSTER) {
            const stagedv my_x = MINE(stagedv, staged_4, MY_X), my_y = MINE(stagedv, staged_4, MY_Y);
            const stagedv my_z = MINE(stagedv, staged_4, MY_Z);
            const uintv my_types = MINE(uintv, uint_4, MY_TYPE);
            CHARGES_MINE
#ifdef CLUSTER_ROWS
            real_4 my_rows[TYPES * ROW_LENGTH];
            load_rows(my_rows, FIRST_FOUR(my_types), table);
#endif
            const uint held = min((uint)CLUSTER, end - c);
            const uint count = *entries, last_k = (count - 1) / WORDS * WORDS; // its own atoms are in it
            entries += WORDS;
#ifdef COMPACT
            INPUT_MOMENT
#ifdef NEAR_KEPT
            const uint room = near_room;
            PLACES_SPACE uint *places = near_place + (size_t)c * room;
#else
            const uint room = ROOM;
            uint places[CLUSTER * ROOM] = {0};
#endif
            uint number[CLUSTER] = {0};
#ifndef SLOTS
            Sums sums[CLUSTER] = {{0}};
#endif
#else
            Sums sums = {0};
#endif
#ifdef NEAR_TAKEN
            for (uint t = 0; t < held; t++) number[t] = near_count[c + t];
#else
            // Others are loaded a turn ahead: a processor does not look far enough past what waits for a turn's long chain of
            // results to find the loads of the next one by itself.
            entries_t next = LOAD_ENTRIES(entries);
            others_t coming = LOAD_OTHERS(entries);
#pragma unroll UNROLL
            for (uint k = 0; k < count; k += WORDS) {
                const entries_t e = next, j = e & PLACE_MASK;
                const others_t others = coming;
                __global const uint *ahead = entries + min(k + WORDS, last_k);
                PREFETCH(ahead)
                next = LOAD_ENTRIES(ahead);
                coming = LOAD_OTHERS(ahead);
                realv dx = SEPARATION(my_x, SPREAD_X(others), ux, mx), dy = SEPARATION(my_y, SPREAD_Y(others), uy, my);
                const realv dz = SEPARATION(my_z, SPREAD_Z(others), uz, mz);
                SHEAR(realv, dx, dy, dz)
                const maskv listed = convert_maskv((SPREAD(e) & bits) != (uintv)(0));
                const uintv their_types = convert_uintv(SPREAD_W(others));
#ifdef COMPACT
                const realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx));
                const maskv near = listed & (rsq < cutoffs_of_pairs(my_types, their_types, table));
                append(places, room, number, held, j, near);
#if !defined(SLOTS) && !defined(NEAR_KEPT)
                const uint enough = k + WORDS < count ? VW : 1; // at the end all
SHORT_LOOP
                for (uint t = 0; t < CLUSTER; t++)
                    while (number[t] >= enough) {
                        uint *waiting = places + t * ROOM;
                        add_places(&sums[t], waiting, number[t], c + t, position, table, box INPUT_PASSED);
                        number[t] -= min(number[t], (uint)VW);
SHORT_LOOP
                        for (uint m = 0; m < WORDS; m++) waiting[m] = waiting[VW + m];
                    }
#endif
#else
                const Numbers numbers = NUMBERS_OF_ENTRIES;
                add_pairs(&sums, dx, dy, dz, numbers, my_types, their_types, table, listed CHARGES_OTHERS);
                PARK_SUMS
#endif
            }
#endif
#ifdef NEAR_KEPT
            for (uint t = 0; t < held; t++) {
                PLACES_SPACE uint *near = places + t * room;
#ifdef NEAR_LEFT
                near_count[c + t] = number[t];
                if (number[t] > room - VW) {
                    atomic_max(&status[STATUS_SLOTS], number[t]);
                    halt(status, step);
                    continue;
                }
                for (uint k = number[t]; k % VW != 0; k++) near[k] = near[0];
#endif
                for (uint k = 0; k < number[t]; k += VW)
                    add_places(&sums[t], near + k, number[t] - k, c + t, position, table, box INPUT_PASSED);
            }
#endif
            entries += last_k + WORDS;
            //= insert cluster_sums
            for (uint k = 0; k < held; k++) {
                const uint i = c + k;
                const staged me = position[i];
                const uint my_type = staged_type(me);
                //= insert atom_totals
                //= insert other_forces
                //= insert output
            }
        }
    }
}

// A work-item takes an octant. With STEPS one of each work-group takes its share of all octants, step by step: those that begin in its
// share of the atoms.
#ifndef WITHIN
__kernel GROUP_TOLD void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS PASS_TABLES) {
    PASS_SPACE
    PARKED_SUMS(PAIR_LOCAL)
#ifndef STEPS
    FIRST_CALLS
    if (halted(status, step)) return;
    const uint2 my_octants = CALLED_FOR;
#endif
    //= insert begin_step
        OCTANTS(PAIR_NAMES, OUTPUT_NAMES MOLECULE_NAMES, my_octants LAUNCH_NAMES PARKED_NAMES);
    //= insert end_step
}
#endif
