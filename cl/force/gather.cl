// The part of the last pass that forces of three bodies have (after pair_inputs.cl): what neighbours do to an atom, by the slots of a first pass
// (cl/force/partial_forces.cl), in SLOT_SETS sets of `slots` slots.
typedef struct {
    real3 force;
    real8 tallies;
} Gathered;

// Where atom i stands among the neighbours of the atom at `place`, which is a copy of it `r` boxes away: i is seen from there as many boxes away
// the other way.
static inline uint place_from(uint place, uint i, uint stride, BOX_SPACE const Box *box) {
    if (place < stride) return i;
    const uint r = place / stride;
    const uint rx = box->replicas[0], ry = box->replicas[1], rz = box->replicas[2];
    const uint x = r % rx, y = r / rx % ry, z = r / (rx * ry);
    return i + stride * ((rx - x) % rx + rx * ((ry - y) % ry + ry * ((rz - z) % rz)));
}

// Which of the `count` slots from `places` on, those of one atom and set, is for the place `mine`; `count` if none is.
static inline uint slot_for(uint mine, __global const uint *places, uint count, uint stride) {
#if CLUSTER > 1
    // Room is for multiples of eight, and no place stands twice.
    const uint8 number = (uint8)(1, 2, 3, 4, 5, 6, 7, 8);
    uint8 found = 0;
    for (uint t = 0; t < count; t += 8)
        found |= as_uint8((vload8(0, places + t) == (uint8)(mine)) & (number <= (uint8)(count - t))) & (number + t);
    const uint4 four = found.lo | found.hi;
    const uint2 two = four.lo | four.hi;
    const uint one = two.x | two.y;
    return one == 0 ? count : one - 1;
#else
    uint t = 0;
    while (t < count && places[t * stride] != mine) t++;
    return t;
#endif
}

// Virials as they are shared out atom by atom, where somebody asks for that; else a pair's half is each atom's.
#ifdef SLOT_VIRIALS
#define VIRIALS_PARAMETER , __global const real *slot_virial
#define VIRIALS_ARGUMENT , LEFT_BY_PASS(real) slot_virial
#define VIRIALS_PASSED , slot_virial
#else
#define VIRIALS_PARAMETER
#define VIRIALS_ARGUMENT
#define VIRIALS_PASSED
#endif
#if defined(SLOT_VIRIALS) && TALLY
#define ADD_VIRIALS(k, j) gathered.tallies += virial_of(slot_virial + ((set * (slots + 1) + (k)) * 6 * stride + (j)), stride);
static inline real8 virial_of(__global const real *v, uint stride) {
    return (real8)(0, v[0], v[stride], v[2 * stride], v[3 * stride], v[4 * stride], v[5 * stride], 0);
}
#else
#define ADD_VIRIALS(k, j)
#endif

// Of all slots of atom i those from `begin` on, each `by`-th.
static inline Gathered gather_slots(uint i, uint begin, uint by, staged me, __global const staged *position, __global const uint *slot_place,
                                    __global const real4 *slot_force, __global const uint *slot_count VIRIALS_PARAMETER,
                                    uint slots, uint stride, BOX_SPACE const Box *box) {
    Gathered gathered;
    gathered.force = 0;
    gathered.tallies = 0;
    for (uint set = 0; set < SLOT_SETS; set++) {
        const uint n = slot_count[set * stride + i];
        ADD_VIRIALS(slots, i) // its own; where there are some, one work-item adds up all
        for (uint k = begin; k < n; k += by) {
            const uint place = slot_place[SLOT_AT(set, k, i, slots, stride)], other = place < stride ? place : place % stride;
            const uint mine = place_from(place, i, stride, box), most = slot_count[set * stride + other];
            const uint t = slot_for(mine, slot_place + SLOT_AT(set, 0, other, slots, stride), most, stride);
            const real4 p = slot_force[SLOT_AT(set, k, i, slots, stride)];
            const real4 q = t < most ? slot_force[SLOT_AT(set, t, other, slots, stride)] : (real4)(0);
            const real3 f = p.xyz - q.xyz;
            gathered.force += f;
#if TALLY
            gathered.tallies.s0 += q.w;
#ifdef SLOT_VIRIALS
            if (t < most) ADD_VIRIALS(t, other)
#else
            const real3 d = displacement(me, position[place], box);
            const real3 half_f = f / 2;
            gathered.tallies.s123 += half_f * d;
            gathered.tallies.s456 += (real3)(d.x * half_f.y, d.x * half_f.z, d.y * half_f.z);
#endif
#endif
        }
    }
    return gathered;
}
#define SLOTS_ARGUMENT \
    , LEFT_BY_PASS(uint) slot_place, LEFT_BY_PASS(real4) slot_force, LEFT_BY_PASS(uint) slot_count VIRIALS_ARGUMENT, uint slots
#define SLOTS_NAMES , slot_place, slot_force, slot_count VIRIALS_PASSED, slots
#if TALLY
#define ADD_SLOTS_FROM(i, begin, by, me, force_, tally_) { \
    const Gathered gathered = gather_slots(i, begin, by, me, position, slot_place, slot_force, slot_count VIRIALS_PASSED, slots, stride, box); \
    force_ += gathered.force; \
    tally_ += gathered.tallies; \
}
#else
#define ADD_SLOTS_FROM(i, begin, by, me, force_, tally_) \
    force_ += gather_slots(i, begin, by, me, position, slot_place, slot_force, slot_count VIRIALS_PASSED, slots, stride, box).force;
#endif
#ifdef BY_LANES // by those that share an atom, in loop_atoms.cl
#define ADD_SLOTS(i, me, force_, tally_)
#else
#define ADD_SLOTS(i, me, force_, tally_) ADD_SLOTS_FROM(i, 0, 1, me, force_, tally_)
#endif
