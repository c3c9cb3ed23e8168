// The first pass of forces of three bodies (after pairs.cl, in the place of accumulate.cl): each atom finds its neighbours within the cutoff
// and what the energy U around it does to them. Of each neighbour j of atom i it leaves, in a slot,
//   (p, e): p = dU_i / d r_ij with r_ij the way from i to j, and e, the part of U_i that is counted at j
// and the rest of the energy at i. The last pass gathers F_i = sum over j of p_ij - p_ji (cl/force/gather.cl); no atom writes to another.
// A style supplies, in cl/pair/<style>.cl,
//   real around_atom(uint n, uint kind, Around a)
// from n neighbours, whose unit vectors and distances are LEG(k), whose types KIND(k); it leaves SLOT(k) = (p, e), may use SCRATCH numbers
// per neighbour, SCRATCHED(k, 0), ..., and returns the energy at the atom. Numbers of a triplet of types are NUMBER_OF(entry, k) with an Entry
// TRIPLET(i, j, k): constants (K0, K1, ...) where all are alike (TRIPLET_KINDS 1). Those of a pair of types are PAIR_NUMBER(PAIR_NUMBERS(i, j), k);
// tables are in a.samples.
// LANES work-items may share an atom where a style goes bond by bond. Each finds neighbours in a list of its own, then they take the bonds
// in turns. Such a style supplies besides
//   real bond_alone(uint j, uint n, uint kind, Around a)         what neighbour j has by itself: SLOT(j), SCRATCHED(j, ...), and the energy
//     at the atom
//   void bond_beside_others(uint j, uint n, uint kind, Around a)  what it has by the others, when all have done the former
// For virials atom by atom it says LEG_VIRIAL(j, p) of what a pair has, p a real3, and TRIPLET_VIRIAL(j, k, p, q) of what a triplet does to j
// and to k: a half of the one is each atom's, a third of the other.
//   SLOT_VIRIALS  slots have room for these; VIRIALS: and they are wanted now
//   SLOTS       room for neighbours; one with more halts the run, until there is room
//   SLOT_SET    among the styles of a hybrid that have slots, this one
//   PASS_INDEX  among all passes
//   PASS_FACTOR which number of a pair is a factor of all this (hybrid/scaled)
//   WIDTH       numbers per triplet

// How long an array for so many is that vectors fill.
#define PADDED(n) (((n) + VW - 1) / VW * VW)

typedef struct {
    uint count;
#if LANES > 1
    uint found[SLOTS];
#endif
} Sums;

static inline void add_pairs(Sums *sums, realv dx, realv dy, realv dz, Numbers numbers, minev mine, uintv theirs,
                             __global const real *table LISTED_PARAMETER, uintv places, uint i,
                             __global uint *slot_place, uint stride) {
    const realv rsq = LISTED_ONLY(FMA(dz, dz, FMA(dy, dy, dx * dx)), numbers.cutsq);
    RETURN_UNLESS(rsq < numbers.cutsq)
    uint hits[VW], at[VW];
    STOREV(convert_uintv(rsq < numbers.cutsq) & 1, hits);
    STOREV(places, at);
SHORT_LOOP
    for (uint e = 0; e < VW; e++)
        if (hits[e]) {
#if LANES > 1
            if (sums->count < SLOTS) sums->found[sums->count] = at[e];
#else
            if (sums->count < SLOTS) slot_place[SLOT_AT(SLOT_SET, sums->count, i, SLOTS, stride)] = at[e];
#endif
            sums->count++;
        }
}

// What work-items know of their atoms' surroundings, WORKERS apart from slot to slot: on GPUs in local memory, where there is room for all of a
// group (NEAR_LOCAL). Else each work-item has its own: bodies that are functions have no local memory on PoCL.
#ifdef NEAR_LOCAL
#define NEAR_SPACE __local
#define WORKERS (PAIR_LOCAL / LANES)
#define WORKER (get_local_id(0) / LANES)
#else
#define NEAR_SPACE __private
#define WORKERS 1
#define WORKER 0
#endif
typedef struct {
    real4 legs[SLOTS * WORKERS];
#if TYPES > 1
    uint kinds[SLOTS * WORKERS];
#endif
#if SCRATCH > 0
    real scratch[SLOTS * SCRATCH * WORKERS];
#endif
#if LANES > 1
    uint counts[PAIR_LOCAL];
    real energies[PAIR_LOCAL];
#endif
} Surroundings;
typedef struct {
    NEAR_SPACE real4 *legs;
#if TYPES > 1
    NEAR_SPACE uint *kinds;
#endif
#if SCRATCH > 0
    NEAR_SPACE real *scratch;
#endif
    __global real4 *slots;
    __global const real *triplets, *table, *samples;
#if VIRIALS
    __global real *virials;
#endif
    uint stride;
} Around;
#define LEG(k) a.legs[(k) * WORKERS]
#if TYPES > 1
#define KIND(k) a.kinds[(k) * WORKERS]
#define KINDS_OF_ITEM known->kinds + WORKER,
#else
#define KIND(k) 1
#define KINDS_OF_ITEM
#endif
#if SCRATCH > 0
#define SCRATCHED(k, n) a.scratch[((k) * SCRATCH + (n)) * WORKERS]
#define SCRATCH_OF_ITEM known->scratch + WORKER,
#else
#define SCRATCH_OF_ITEM
#endif
#if CLUSTER > 1
#define SLOT(k) a.slots[k]
#else
#define SLOT(k) a.slots[(k) * a.stride]
#endif
#ifdef SLOT_VIRIALS
#define VIRIALS_TO __global real *restrict slot_virial,
#define VIRIALS_NAME slot_virial,
#else
#define VIRIALS_TO
#define VIRIALS_NAME
#endif
#if VIRIALS
// xx yy zz xy xz yz of slot k, or of the atom itself (k = SLOTS).
#define VIRIAL(k, m) a.virials[((k) * 6 + (m)) * a.stride]
#define VIRIALS_OF_ITEM(i) slot_virial + SLOT_SET * (SLOTS + 1) * 6 * stride + (i),
ALWAYS_INLINE void add_virial(Around a, uint k, real4 leg, real3 p, real share) {
    const real3 way = -share * leg.w * leg.xyz;
    VIRIAL(k, 0) += way.x * p.x;
    VIRIAL(k, 1) += way.y * p.y;
    VIRIAL(k, 2) += way.z * p.z;
    VIRIAL(k, 3) += (way.x * p.y + way.y * p.x) / 2;
    VIRIAL(k, 4) += (way.x * p.z + way.z * p.x) / 2;
    VIRIAL(k, 5) += (way.y * p.z + way.z * p.y) / 2;
}
ALWAYS_INLINE void add_triplet_virial(Around a, uint k, real4 leg, real3 p, real4 other, real3 q) {
    add_virial(a, k, leg, p, (real)(1) / 3);
    add_virial(a, k, other, q, (real)(1) / 3);
}
#define LEG_VIRIAL(j, p) { \
    add_virial(a, j, LEG(j), p, (real)(1) / 2); \
    add_virial(a, SLOTS, LEG(j), p, (real)(1) / 2); \
}
#define TRIPLET_VIRIAL(j, k, p, q) { \
    add_triplet_virial(a, j, LEG(j), p, LEG(k), q); \
    add_triplet_virial(a, k, LEG(j), p, LEG(k), q); \
    add_triplet_virial(a, SLOTS, LEG(j), p, LEG(k), q); \
}
#define NO_VIRIALS(n) \
    for (uint m = 0; m < 6; m++) { \
        for (uint k = 0; k < n; k++) VIRIAL(k, m) = 0; \
        VIRIAL(SLOTS, m) = 0; \
    }
#else
#define VIRIALS_OF_ITEM(i)
#define LEG_VIRIAL(j, p)
#define TRIPLET_VIRIAL(j, k, p, q)
#define NO_VIRIALS(n)
#endif
#if TRIPLET_KINDS == 1
typedef uint Entry;
#define TRIPLET(i, j, k) 0
#define NUMBER_OF(entry, k) K##k
#else
typedef __global const real *Entry;
#define TRIPLET(i, j, k) (a.triplets + ((((i) - 1) * TYPES + (j) - 1) * TYPES + (k) - 1) * WIDTH)
#define NUMBER_OF(entry, k) (entry)[k]
#endif

#define PAIR_NUMBERS(i, j) (a.table + ROW_BEGIN(i, j))
#define PAIR_NUMBER(numbers, k) (numbers)[ROW_ENTRY((k) + 1)]

ALWAYS_INLINE real around_atom(uint n, uint kind, Around a);

// The way to the neighbour at a place, for slot k.
ALWAYS_INLINE void find_leg(uint k, staged other, staged me, Around a, BOX_SPACE const Box *box) {
    const real3 d = displacement(other, me, box);
    const real rsq = square(d), rinv = rsqrt(rsq);
    LEG(k) = (real4)(d * rinv, rsq * rinv);
#if TYPES > 1
    KIND(k) = staged_type(other);
#endif
}

static inline void halt_for_slots(uint count, __global uint *status, uint step) {
    atomic_max(&status[STATUS_SLOTS], count);
    halt(status, step);
}

// How many times the style counts, and slots from `begin` on, each `by`-th, so many times.
#ifdef PASS_FACTOR
#define SCALED(kind, energy) PAIR_NUMBER(PAIR_NUMBERS(kind, kind), PASS_FACTOR) * (energy)
ALWAYS_INLINE void scale_slots(uint begin, uint by, uint n, uint kind, Around a) {
    const real factor = PAIR_NUMBER(PAIR_NUMBERS(kind, kind), PASS_FACTOR);
    for (uint k = begin; k < n; k += by) {
        SLOT(k) *= factor;
#if VIRIALS
        for (uint m = 0; m < 6; m++) VIRIAL(k, m) *= factor;
#endif
    }
#if VIRIALS
    for (uint m = 0; m < 6; m++) VIRIAL(SLOTS, m) *= factor;
#endif
}
#else
#define SCALED(kind, energy) (energy)
#define scale_slots(begin, by, n, kind, a)
#endif

// Leaves what is counted at the atom itself.
static inline void leave_own(uint i, uint n, real energy, uint stride, __global uint *slot_count, __global real *own) {
    slot_count[SLOT_SET * stride + i] = n;
#if PASS_INDEX > 0
    energy += own[i];
#endif
    own[i] = energy;
}

#if LANES > 1
#ifdef SLOT_VIRIALS
#error "virials by atom take one work-item for each atom"
#endif
ALWAYS_INLINE real bond_alone(uint j, uint n, uint kind, Around a);
ALWAYS_INLINE void bond_beside_others(uint j, uint n, uint kind, Around a);

// Of the work-items that share an atom: finds the ways to the neighbours that each has found, and has the style do the rest. All of a group
// come here.
ALWAYS_INLINE void share_slots(int active, uint lane, uint i, staged me, const Sums *sums, Around a, __local Surroundings *known,
                               __global const staged *position, __global uint *slot_place, __global uint *slot_count,
                               __global real *own, BOX_SPACE const Box *box, __global uint *status, uint step) {
    const uint item = get_local_id(0), first_lane = item - lane;
    known->counts[item] = sums->count;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0, count = 0;
    for (uint t = 0; t < LANES; t++) {
        if (t == lane) before = count;
        count += known->counts[first_lane + t];
    }
    const uint n = min(count, (uint)SLOTS);
    if (count > SLOTS && lane == 0) halt_for_slots(count, status, step);
    for (uint k = before; k < min(before + sums->count, n); k++) {
        const uint place = sums->found[k - before];
        slot_place[SLOT_AT(SLOT_SET, k, i, SLOTS, a.stride)] = place;
        find_leg(k, position[place], me, a, box);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint kind = staged_type(me);
    real energy = 0;
    for (uint j = lane; j < n; j += LANES) energy += bond_alone(j, n, kind, a);
    known->energies[item] = energy;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = lane; j < n; j += LANES) bond_beside_others(j, n, kind, a);
    scale_slots(lane, LANES, n, kind, a);
    if (active && lane == 0) {
        for (uint t = 1; t < LANES; t++) energy += known->energies[item + t];
        leave_own(i, n, SCALED(kind, energy), a.stride, slot_count, own);
    }
}
#else
// Finds the ways to the neighbours in the slots, and has the style do the rest.
ALWAYS_INLINE void finish_slots(uint i, staged me, uint count, Around a, __global const staged *position,
                                __global const uint *slot_place, __global uint *slot_count, __global real *own,
                                BOX_SPACE const Box *box, __global uint *status, uint step) {
    if (count > SLOTS) halt_for_slots(count, status, step);
    const uint n = min(count, (uint)SLOTS), kind = staged_type(me);
    for (uint k = 0; k < n; k++) find_leg(k, position[slot_place[SLOT_AT(SLOT_SET, k, i, SLOTS, a.stride)]], me, a, box);
    NO_VIRIALS(n)
    const real energy = around_atom(n, kind, a);
    scale_slots(0, 1, n, kind, a);
    leave_own(i, n, SCALED(kind, energy), a.stride, slot_count, own);
}
#endif

// What other files would define.
#define SLOTS_PASSED , j, i, slot_place, stride
#define INPUT_ARGUMENTS
#define INPUT_NAMES
#define INPUT_OF_LIST SLOTS_PASSED
#define OWN_INPUTS(i)
#define OWN_INPUTS_PASSED(i)
#define INPUT_MOMENT
#define INPUT_ARRAYS , __global uint *slot_place, uint stride
#define INPUT_PASSED , slot_place, stride
#define COUNT_OF_PAIRS
#define PARKED_SUMS(size)
#define PARKED_ARGUMENTS
#define PARKED_NAMES
#define PARK_SUMS

#define PAIR_KERNEL first_pass
#define OUTPUT_ARGUMENTS \
    __global const real *restrict triplets, __global uint *slot_place, __global real4 *restrict slot_force, \
    __global uint *restrict slot_count, VIRIALS_TO __global real *restrict own, __global uint *restrict status, uint step KNOWN_ARGUMENT
// Only kernels have variables in local memory, so a function is given them.
#if defined(WITHIN) && defined(NEAR_LOCAL)
#define KNOWN_ARGUMENT , __local Surroundings *known
#else
#define KNOWN_ARGUMENT
#endif
#define OUTPUT_NAMES triplets, slot_place, slot_force, slot_count, VIRIALS_NAME own, status, step
#define AROUND_OF(i) \
    {known->legs + WORKER, KINDS_OF_ITEM SCRATCH_OF_ITEM slot_force + SLOT_AT(SLOT_SET, 0, i, SLOTS, stride), triplets, table, \
     table + SAMPLES_AT, VIRIALS_OF_ITEM(i) stride}

//= piece lane_space
#if !(defined(WITHIN) && defined(NEAR_LOCAL))
    NEAR_SPACE Surroundings surroundings;
    NEAR_SPACE Surroundings *const known = &surroundings;
#endif
//= end
//= piece lane_totals
#if LANES > 1
    // All of a group do that, as they wait for one another.
    const Around around = AROUND_OF(i);
    share_slots(active, lane, i, me, &sums, around, known, position, slot_place, slot_count, own, box, status, step);
#else
    const uint total = sums.count;
#endif
//= end
//= piece cluster_sums
//= end
//= piece atom_totals
            const uint total = number[k];
            for (uint t = 0; t < min(total, (uint)SLOTS); t++) slot_place[SLOT_AT(SLOT_SET, t, i, SLOTS, stride)] = places[k * ROOM + t];
//= end
//= piece other_forces
//= end
//= piece output
#if LANES == 1
        const Around around = AROUND_OF(i);
        finish_slots(i, me, total, around, position, slot_place, slot_count, own, box, status, step);
#endif
//= end
