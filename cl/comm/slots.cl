// What a rank tells others of the partial forces (cl/force/partial_forces.cl) of its atoms near their borders: of each atom those slots
// alone that are for an atom of the rank that is told. Rank r is told of atoms places[k] for told[r - 1] <= k < told[r], and its own atoms
// are those from own[r] to own[r + 1]. A slot becomes a record of RECORD words:
//   the atom's place
//   set * room + the slot's number among those of the atom that are told in its set
//   which place the slot is for
//   how many slots of the atom are told in its set
//   the partial force, the virial
// All ranks have the same room: where one makes more, all do.
//   FORCE_WORDS    words of 32 bits of a partial force
//   VIRIAL_WORDS   those of each of the six numbers of a virial; 0: slots have none
//   COUNT_LOCAL    work-items of a group (a power of two, 1 on CPUs)
#define RECORD (4 + FORCE_WORDS + 6 * VIRIAL_WORDS)

#define SLOTS_TOLD_OF \
    __global const uint *restrict places, __global const uint *restrict told, __global const uint *restrict own, \
    __global const uint *restrict slot_place, __global const uint *restrict slot_count, uint sets, uint room, uint stride, uint n

static inline uint rank_told(uint k, __global const uint *told) {
    uint rank = 0;
    while (told[rank] <= k) rank++;
    return rank;
}

static inline bool is_for(uint place, uint stride, uint2 atoms) {
    const uint atom = place % stride;
    return atom >= atoms.x && atom < atoms.y;
}

static inline uint slots_for(uint2 atoms, uint set, uint j, __global const uint *slot_place, __global const uint *slot_count, uint room,
                             uint stride) {
    uint count = 0;
    const uint n = slot_count[set * stride + j];
    for (uint s = 0; s < n; s++) count += is_for(slot_place[SLOT_AT(set, s, j, room, stride)], stride, atoms);
    return count;
}

static inline uint slots_told(uint k, SLOTS_TOLD_OF) {
    if (k >= n) return 0;
    const uint2 atoms = vload2(0, own + rank_told(k, told));
    uint count = 0;
    for (uint set = 0; set < sets; set++) count += slots_for(atoms, set, places[k], slot_place, slot_count, room, stride);
    return count;
}

// What the work-items before this one of its group have, and in `all` what all have.
ALWAYS_INLINE uint before_in_group(uint count, __local uint *sums, uint *all) {
    const uint lid = get_local_id(0);
    sums[lid] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint back = 1; back < COUNT_LOCAL; back <<= 1) {
        const uint more = lid >= back ? sums[lid - back] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sums[lid] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    *all = sums[COUNT_LOCAL - 1];
    return sums[lid] - count;
}

// How many slots each group of atoms has to tell, before a prefix sum (cl/neighbor/sort.cl), ...
__kernel __attribute__((reqd_work_group_size(COUNT_LOCAL, 1, 1)))
void count_slots(SLOTS_TOLD_OF, __global uint *restrict begins) {
    __local uint sums[COUNT_LOCAL];
    uint all;
    before_in_group(slots_told(get_global_id(0), places, told, own, slot_place, slot_count, sets, room, stride, n), sums, &all);
    if (get_local_id(0) == 0) begins[get_group_id(0)] = all;
}

// ... and the records, as far as there is room for them; `ends` says where those for each rank end.
__kernel __attribute__((reqd_work_group_size(COUNT_LOCAL, 1, 1)))
void pack_slots(SLOTS_TOLD_OF, __global const uint *restrict begins, __global const uint *restrict slot_force,
                __global const uint *restrict slot_virial, __global uint *restrict packed, __global uint *restrict ends, uint most) {
    __local uint sums[COUNT_LOCAL];
    const uint k = get_global_id(0);
    const uint mine = slots_told(k, places, told, own, slot_place, slot_count, sets, room, stride, n);
    uint all, at = before_in_group(mine, sums, &all);
    at += begins[get_group_id(0)];
    if (k >= n) return;
    const uint rank = rank_told(k, told), j = places[k];
    if (k + 1 == told[rank]) ends[rank] = at + mine;
    if (at + mine > most) return;
    const uint2 atoms = vload2(0, own + rank);
    for (uint set = 0; set < sets; set++) {
        const uint count = slots_for(atoms, set, j, slot_place, slot_count, room, stride), held = slot_count[set * stride + j];
        uint number = 0;
        for (uint s = 0; s < held; s++) {
            const size_t slot = SLOT_AT((size_t)set, s, j, room, stride);
            if (!is_for(slot_place[slot], stride, atoms)) continue;
            __global uint *record = packed + (size_t)RECORD * at++;
            record[0] = j;
            record[1] = set * room + number++;
            record[2] = slot_place[slot];
            record[3] = count;
            for (uint w = 0; w < FORCE_WORDS; w++) record[4 + w] = slot_force[FORCE_WORDS * slot + w];
#if VIRIAL_WORDS > 0
            for (uint m = 0; m < 6; m++) {
                const size_t virial_at = (size_t)((set * (room + 1) + s) * 6 + m) * stride + j;
                for (uint w = 0; w < VIRIAL_WORDS; w++)
                    record[4 + FORCE_WORDS + m * VIRIAL_WORDS + w] = slot_virial[VIRIAL_WORDS * virial_at + w];
            }
#endif
        }
    }
}

// Of the atoms heard of, those of which no slot comes have none.
__kernel void clear_slots(__global const uint *restrict places, __global uint *restrict slot_count, uint sets, uint stride, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    for (uint set = 0; set < sets; set++) slot_count[set * stride + places[k]] = 0;
}

// The slots of n records.
__kernel void unpack_slots(__global const uint *restrict heard, __global uint *restrict slot_place, __global uint *restrict slot_count,
                           __global uint *restrict slot_force, __global uint *restrict slot_virial, uint room, uint stride, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    __global const uint *record = heard + (size_t)RECORD * k;
    const uint j = record[0], set = record[1] / room;
    const size_t slot = SLOT_AT((size_t)set, record[1] % room, j, room, stride);
    slot_place[slot] = record[2];
    slot_count[set * stride + j] = record[3];
    for (uint w = 0; w < FORCE_WORDS; w++) slot_force[FORCE_WORDS * slot + w] = record[4 + w];
#if VIRIAL_WORDS > 0
    for (uint m = 0; m < 6; m++) {
        const size_t virial_at = (size_t)((record[1] + set) * 6 + m) * stride + j; // each set has the atom's own behind its slots
        for (uint w = 0; w < VIRIAL_WORDS; w++) slot_virial[VIRIAL_WORDS * virial_at + w] = record[4 + FORCE_WORDS + m * VIRIAL_WORDS + w];
    }
#endif
}
