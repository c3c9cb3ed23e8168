// The part of the last pass that forces of three bodies have (after pair_inputs.cl): what neighbours do to an atom, by the slots of a first pass
// (cl/force/partial_forces.cl), in SLOT_SETS sets of `slots` slots.
typedef struct {
    real3 force;
    real8 tallies;
} Gathered;

// Where atom i stands among the neighbours of the atom at `place`, which is a copy of it `r` boxes away: i is seen from there as many boxes away
// the other way.
static inline uint place_from(uint place, uint i, uint stride, BOX_SPACE const Box *box) {
    const uint r = place / stride;
    if (r == 0) return i;
    const uint rx = box->replicas[0], ry = box->replicas[1], rz = box->replicas[2];
    const uint x = r % rx, y = r / rx % ry, z = r / (rx * ry);
    return i + stride * ((rx - x) % rx + rx * ((ry - y) % ry + ry * ((rz - z) % rz)));
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
        if (begin == 0) {
            ADD_VIRIALS(slots, i) // its own
        }
        for (uint k = begin; k < n; k += by) {
            const uint place = slot_place[(set * slots + k) * stride + i], other = place % stride;
            const uint mine = place_from(place, i, stride, box), most = slot_count[set * stride + other];
            uint t = 0;
            while (t < most && slot_place[(set * slots + t) * stride + other] != mine) t++;
            real4 p = slot_force[(set * slots + k) * stride + i];
            const real4 q = t < most ? slot_force[(set * slots + t) * stride + other] : (real4)(0);
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
#if TALLY
#define GATHER(i, begin, by, me, force_, tally_) { \
    const Gathered gathered = gather_slots(i, begin, by, me, position, slot_place, slot_force, slot_count VIRIALS_PASSED, slots, stride, box); \
    force_ += gathered.force; \
    tally_ += gathered.tallies; \
}
#else
#define GATHER(i, begin, by, me, force_, tally_) \
    force_ += gather_slots(i, begin, by, me, position, slot_place, slot_force, slot_count VIRIALS_PASSED, slots, stride, box).force;
#endif
#ifdef BY_LANES // by those that share an atom, in loop_atoms.cl
#define ADD_SLOTS(i, me, force_, tally_)
#define ADD_SLOTS_BY_LANES(i, lane, me, force_, tally_) if (active) GATHER(i, lane, LANES, me, force_, tally_)
#else
#define ADD_SLOTS(i, me, force_, tally_) GATHER(i, 0, 1, me, force_, tally_)
#endif
