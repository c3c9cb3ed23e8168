// The neighbour loop (after accumulate.cl).
//   TILE         lists name places in local memory, CROWD of them
//   LANES        work-items per atom (a power of two)
//   PAIR_LOCAL   work-items per group (BLOCK_LOCAL with TILE)
//   FUSED        the kernel that makes a whole step instead (after step.cl), or with
//   FEEDBACK     the first part of one, and with STEPS all of it
//   STEPS        several of them in one launch (after barrier.cl)
//   CROWDED      there: as many work-items as the device holds at a time, so each has few registers and little local memory
//   LOCAL_BYTES  there: local memory of a work-group
//   COUNT_PAIRS  the kernel that counts pairs by distance (accumulate.cl)
//   MOLECULES    atoms have bonds, or pairs that count in part (after bonds.cl)

#ifdef MOLECULES
#define STATUS_ACCESS __global // bonds may break
#else
#define STATUS_ACCESS __global const
#define MOLECULE_ARGUMENTS
#define ADD_MOLECULE(i, me, force_, tally_)
#endif

// An atom with the force on it: from memory, or as the step before has left it; and vectors of pairs whose positions are loaded at once.
#if defined(STEPS) && CLUSTER == 1 && !defined(FEEDBACK) && !defined(DOUBLE) && !CROWDED
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

// The kernels: PAIR_ARGUMENTS in, an atom's force out. What becomes of it is the same for every layout.
#define WHOLE_STEP_ARGUMENTS \
    ATOM_ARGUMENTS, STAGED_TO moved, __global const staged *restrict built_at, \
    __global uint *restrict status, uint step, real trigger, int check VELOCITY_MOVED UNKICKED_KEPT GATE_ARGUMENTS FORCE_ARGUMENT
#if defined(FUSED) && defined(FEEDBACK)
// A step up to where a fix has to know of all atoms (cl/step/coupling.cl): the forces of `step` as the fixes change them, the
// rest of the kicks, and what each atom adds to the fix's sums.
#ifdef STEPS // several whole ones
#define PAIR_KERNEL fed_step
#define OUTPUT_ARGUMENTS WHOLE_STEP_ARGUMENTS
#else
#define PAIR_KERNEL force_and_kick
#define OUTPUT_ARGUMENTS \
    ATOM_ARGUMENTS, __global real *restrict force, __global accum *restrict measured, \
    STATUS_ACCESS uint *restrict status, uint step
#endif
#if defined(STEPS) && CLUSTER == 1
#define KEEP_MEASURED(a, h, tally_, i) { \
    accum numbers[FEEDBACK_SUMS]; \
    MEASURE_ATOM(a, h, VIRIAL_OF(tally_), numbers) \
    for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * GROUP_ATOMS + get_local_id(0) / LANES] = numbers[k]; \
}
#else
#define KEEP_MEASURED(a, h, tally_, i) STORE_MEASURED(a, h, VIRIAL_OF(tally_), i, measured, stride)
#endif
#define OUTPUT(i, force_, tally_) { \
    Atom a = LOAD_ATOM(i, force_); \
    const Here now = HERE(row, step); \
    FORCE_STAGES(&a, &now) \
    FINAL_STAGES(&a, &now) \
    vstore3(a.v, i, v); \
    vstore3(a.f, i, force); \
    KEEP_MEASURED(&a, &now, tally_, i) \
}
#elif defined(FUSED)
// A whole step, and the first half of the next one: forces from the staged positions, the rest of the kicks, the
// drift into the other buffer of staged positions. `step` is the step whose forces these are; a reason to
// rebuild is one of the step after it.
#define PAIR_KERNEL whole_step
#define OUTPUT_ARGUMENTS WHOLE_STEP_ARGUMENTS
#ifdef TOTALS
#define OUTPUT(i, force_, tally_) vstore3(force_, i, force);
#else
#define OUTPUT(i, force_, tally_) { \
    ATOM_WITH(force_, i) \
    const Here now = HERE(row, step), then = HERE(next_row, step + 1); \
    MOVE_ON(a, i, now, then) \
    KEEP_OWN \
}
#endif
#elif defined(COUNT_PAIRS)
#define PAIR_KERNEL count_pairs
#define OUTPUT_ARGUMENTS STATUS_ACCESS uint *restrict status, uint step
#define OUTPUT(i, force_, tally_)
#else
#define OUTPUT_ARGUMENTS \
    __global real *restrict force, __global real *restrict tally COULOMB_ARGUMENT, \
    STATUS_ACCESS uint *restrict status, uint step
#if TALLY
#define PAIR_KERNEL pair_force_tally
#define OUTPUT(i, force_, tally_) { \
    vstore3(force_, i, force); \
    vstore8(tally_, i, tally); \
    STORE_COULOMB(i) \
}
#else
#define PAIR_KERNEL pair_force
#define OUTPUT(i, force_, tally_) vstore3(force_, i, force);
#endif
#endif
#if defined(BOX_MOVES) && defined(STEPS)
#define BOX_ARGUMENT __global Box *all_box
#else
#define BOX_ARGUMENT __constant const Box *box
#endif
#define PAIR_ARGUMENTS \
    STAGED_FROM position, __global const uint *restrict list, \
    __global const uint *restrict neighbors, __global const uint *restrict blocks, \
    __global const staged *restrict centers, __global const uint *restrict tiles, \
    __global const real *restrict table, BOX_ARGUMENT, uint first, uint n, uint rows, uint stride, \
    uint parts SEEN_ARGUMENTS

#if TILE

// The tile: a work-group takes the atoms of a block of cells. What their lists name comes into local memory
// once, relative to the middle of the block; an entry is a 16-bit offset there. What does not fit is
// taken in turn, and so are the atoms of a block that has more of them than the group work-items.
__kernel __attribute__((reqd_work_group_size(BLOCK_LOCAL, 1, 1))) EXCHANGE_GROUP
void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS) {
#define PLACE(k) BANKED(k, CROWD + 1)
    __local real4 crowd[BANKED_ROOM(CROWD + 1)];
    SEEN_CROWD
    PARKED_SUMS(BLOCK_LOCAL)
    LANE_SUMS(force_sums, 3)
#if TALLY
    LANE_SUMS(tally_sums, 8)
#endif
    const uint lid = get_local_id(0);
#ifdef MOLECULES
    // A bond that breaks halts this very step, and work-items must not leave others waiting at a barrier.
    __local int stopped;
    if (lid == 0) stopped = halted(status, step);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (stopped) return;
#else
    if (halted(status, step)) return;
#endif
    const uint4 block = vload4(get_group_id(0), blocks);
    const uint begin = max(block.x, first), end = min(block.y, first + n);
    if (begin >= end) return; // for the whole group
    const staged center = centers[get_group_id(0)];
    if (lid == 0) {
        crowd[PLACE(CROWD)] = (real4)((real)1e10, (real)1e10, (real)1e10, 1); // out of all reach
        SEEN_DUMMY
    }
    const uint items = (end - begin) * LANES;
    const uint lane = MODULO(lid, LANES);
    for (uint base = 0; base < items; base += BLOCK_LOCAL) {
        const int active = base + lid < items;
        const uint i = begin + (active ? (base + lid) / LANES : 0);
        const staged mine = position[i];
        const real3 me = displacement(mine, center, box);
        const uint my_type = staged_type(mine);
        SEEN_MINE(i)
        __global const uint *entries = list + list_begin((i - first) * LANES + lane, rows);
        Sums sums = {0};
        for (uint window = 0; window < block.w; window += CROWD) {
            if (base == 0 || block.w > CROWD) {
                barrier(CLK_LOCAL_MEM_FENCE);
                const uint held = min((uint)CROWD, block.w - window);
                // Four at a time, so that their loads need not wait for one another.
                for (uint first_k = lid; first_k < held; first_k += 4 * BLOCK_LOCAL) {
                    staged others[4];
                    SEEN_OTHERS(4)
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        const uint from = tiles[block.z + window + min(first_k + t * BLOCK_LOCAL, held - 1)];
                        others[t] = position[from];
                        SEEN_LOAD(t, from)
                    }
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        const uint k = min(first_k + t * BLOCK_LOCAL, held - 1);
                        crowd[PLACE(k)] = (real4)(displacement(others[t], center, box), (real)staged_type(others[t]));
                        SEEN_STORE(t, k)
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            NEEDLESS_BARRIER
            const uint count = active ? neighbors[((window / CROWD) * stride + i) * LANES + lane] : 0;
            uint4 next = count > 0 ? LOAD4(entries) : (uint4)(0);
            for (uint k = 0; k < count; k += 8) {
                const uint4 packed = next;
                entries += LIST_WIDTH * WORDS;
                if (k + 8 < count) next = LOAD4(entries);
                const uint4 low = packed & 0xffff, high = packed >> 16;
#define CROWD_X(k) (*(__local const real4 *)((__local const char *)crowd + k)).x
#define CROWD_Y(k) (*(__local const real4 *)((__local const char *)crowd + k)).y
#define CROWD_Z(k) (*(__local const real4 *)((__local const char *)crowd + k)).z
#define CROWD_W(k) (uint)(*(__local const real4 *)((__local const char *)crowd + k)).w
#define ADD_CROWD(...) { \
                    const uintv j = (uintv)(__VA_ARGS__); \
                    add_pairs(&sums, me.x - (realv)(GATHER(CROWD_X)), me.y - (realv)(GATHER(CROWD_Y)), \
                              me.z - (realv)(GATHER(CROWD_Z)), my_type, (uintv)(GATHER(CROWD_W)), table SEEN_OF_CROWD); \
                    PARK_SUMS \
                }
#if VW == 8
                ADD_CROWD(low.x, high.x, low.y, high.y, low.z, high.z, low.w, high.w)
#elif VW == 4
                ADD_CROWD(low.x, high.x, low.y, high.y)
                ADD_CROWD(low.z, high.z, low.w, high.w)
#elif VW == 2
                ADD_CROWD(low.x, high.x)
                ADD_CROWD(low.y, high.y)
                ADD_CROWD(low.z, high.z)
                ADD_CROWD(low.w, high.w)
#elif VW == 1
                ADD_CROWD(low.x)
                ADD_CROWD(high.x)
                ADD_CROWD(low.y)
                ADD_CROWD(high.y)
                ADD_CROWD(low.z)
                ADD_CROWD(high.z)
                ADD_CROWD(low.w)
                ADD_CROWD(high.w)
#else
#error "a chunk of eight entries is no multiple of VW"
#endif
            }
            NEEDLESS_BARRIER
        }
        real3 total = force_of(&sums);
        ADD_LANES_3(force_sums, total, lane)
#if TALLY
        real8 tallies = tallies_of(&sums);
        ADD_LANES_8(tally_sums, tallies, lane)
        COULOMB_SUM(sums)
        ADD_COULOMB(force_sums, lane)
#endif
        if (active && lane == 0) {
            ADD_MOLECULE(i, mine, total, tallies)
            ADD_OWN_ENERGY(tallies, my_type)
            OUTPUT(i, total, tallies)
        }
    }
}

#elif CLUSTER == 1

// Plain Verlet lists: LANES work-items share an atom, each with a list of its own; an entry is a place in `position`.
#define ADD_ENTRIES(entries_) { \
        const uintv j = entries_; \
        LOAD_POSITIONS \
        realv dx = SEPARATION(me.x, x, ux, mx), dy = SEPARATION(me.y, y, uy, my); \
        const realv dz = SEPARATION(me.z, z, uz, mz); \
        LEAN(realv, dx, dy, dz) \
        add_pairs(&sums, dx, dy, dz, my_type, convert_uintv(w), table SEEN_OF_LIST); \
        PARK_SUMS \
    }
// Where a launch makes several steps, caches are empty after each meeting, and lists stay the same: so how many entries a list has
// and the first KEPT vectors of them are read once, for local memory.
#ifdef STEPS
// What else the kernel has in local memory, at most.
#ifdef FEEDBACK
#define FEEDBACK_BYTES (FEEDBACK_SUMS * (PAIR_LOCAL / LANES + FEEDBACK_LOCAL) * 8)
#else
#define FEEDBACK_BYTES 0
#endif
#if LANES == 1 || defined(EXCHANGE_PTX) || defined(EXCHANGE_SUBGROUPS)
#define EXCHANGE_BYTES 0
#else
#define EXCHANGE_BYTES (11 * 8 * PAIR_LOCAL)
#endif
#define ROOM_FOR ((LOCAL_BYTES - FEEDBACK_BYTES - EXCHANGE_BYTES - 512) / (4 * PAIR_LOCAL)) // entries of each work-item
#if (defined(FEEDBACK) && CROWDED) || defined(BREAK_PRIVATE)
#define WANTED 0 // NVIDIA's compiler would take more registers than there are for all work-items; or other things are in local memory
#elif LANES > 4
#define WANTED (128 / LANES)
#elif CROWDED
#define WANTED 20
#else
#define WANTED 28
#endif
#define KEPT ((WANTED + VW - 1 < ROOM_FOR ? WANTED + VW - 1 : ROOM_FOR) / VW)
#else
#define KEPT 0
#endif
#define COUNT_IN_MEMORY(part) (active ? neighbors[(part * stride + i) * LANES + lane] : 0)
#if KEPT > 0
#define KEPT_AT(k) kept[(k) / VW * PAIR_LOCAL + get_local_id(0)]
#define KEEP_LIST \
    __local uintv kept[KEPT * PAIR_LOCAL]; \
    const uint own_count = item / LANES < n ? neighbors[(first + item / LANES) * LANES + lane] : 0; \
    for (uint k = 0; k < min(own_count, min(rows, (uint)KEPT) * VW); k += VW) \
        KEPT_AT(k) = LOAD_LIST(list + list_begin(item, rows) + k / VW * (LIST_WIDTH * WORDS));
#define ACTIVE item / LANES < n // nothing has halted what goes on
#define COUNT_OF(part) (part == 0 ? own_count : COUNT_IN_MEMORY(part))
#define LAST_KEPT min(count, (uint)(KEPT * VW))
#if AHEAD == 1 || defined(CHARGES) || defined(VELOCITIES) || defined(BREAK_TEMPORARIES)
#define ADD_KEPT \
    if (part == 0) \
        for (; k < LAST_KEPT; k += VW, entries += LIST_WIDTH * WORDS) ADD_ENTRIES(KEPT_AT(k))
#else
#define ADD_KEPT \
    while (part == 0 && k < LAST_KEPT) { \
        staged near[AHEAD * VW]; \
        for (uint t = 0; t < AHEAD; t++) \
            if (k + t * VW < LAST_KEPT) { \
                uint j[VW]; \
                STOREV(KEPT_AT(k + t * VW), j); \
                for (uint e = 0; e < VW; e++) near[t * VW + e] = position[j[e]]; \
            } \
        for (uint t = 0; t < AHEAD; t++) \
            if (k < LAST_KEPT) { \
                const staged *const position = near + t * VW; \
                ADD_ENTRIES(FROM_0) \
                k += VW; \
                entries += LIST_WIDTH * WORDS; \
            } \
    }
#endif
#else
#define KEEP_LIST
// No early return when halted: PoCL 3.1 loses its way between that and the barriers of the lanes.
#define ACTIVE item / LANES < n && !halted(status, step)
#define COUNT_OF(part) COUNT_IN_MEMORY(part)
#define ADD_KEPT
#endif
__kernel __attribute__((reqd_work_group_size(PAIR_LOCAL, 1, 1))) EXCHANGE_GROUP
void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS) {
    LANE_SUMS(force_sums, 3)
#if TALLY
    LANE_SUMS(tally_sums, 8)
#endif
    PARKED_SUMS(PAIR_LOCAL)
    const uint item = get_global_id(0);
    const uint lane = MODULO(item, LANES);
    LOAD_BUILT(first + min(item / LANES, n - 1))
    KEEP_LIST
    LOAD_OWN(first + min(item / LANES, n - 1))
    AMID
    EACH_STEP
    const int active = ACTIVE;
    const uint i = first + (active ? item / LANES : 0);
    const staged me = position[i];
    const uint my_type = staged_type(me);
    SEEN_MINE(i)
    __global const uint *entries = list + list_begin(item, rows);
#ifdef BREAK_TEMPORARIES
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
        ADD_KEPT
#pragma unroll UNROLL
        for (; k < count; k += VW, entries += LIST_WIDTH * WORDS) ADD_ENTRIES(LOAD_LIST(entries))
        NEEDLESS_BARRIER
    }
    real3 total = force_of(&sums);
    ADD_LANES_3(force_sums, total, lane)
#if TALLY
    real8 tallies = tallies_of(&sums);
    ADD_LANES_8(tally_sums, tallies, lane)
    COULOMB_SUM(sums)
    ADD_COULOMB(force_sums, lane)
#endif
    if (active && lane == 0) {
        ADD_MOLECULE(i, me, total, tallies)
        ADD_OWN_ENERGY(tallies, my_type)
        OUTPUT(i, total, tallies)
    }
    REST_OF_STEP
    END_STEP
}
#endif
