// The part of the last pass that forces of three bodies have (before accumulate.cl): what neighbours do to an atom, by the slots of a first pass
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

static inline Gathered gather_slots(uint i, staged me, __global const staged *position, __global const uint *slot_place,
                                    __global const real4 *slot_force, __global const uint *slot_count, uint slots, uint stride,
                                    BOX_SPACE const Box *box) {
    Gathered gathered;
    gathered.force = 0;
    gathered.tallies = 0;
    for (uint set = 0; set < SLOT_SETS; set++) {
        const uint n = slot_count[set * stride + i];
        for (uint k = 0; k < n; k++) {
            const uint place = slot_place[(set * slots + k) * stride + i], other = place % stride;
            const uint mine = place_from(place, i, stride, box), most = slot_count[set * stride + other];
            uint t = 0;
            while (t < most && slot_place[(set * slots + t) * stride + other] != mine) t++;
            real4 p = slot_force[(set * slots + k) * stride + i];
            const real4 q = t < most ? slot_force[(set * slots + t) * stride + other] : (real4)(0);
            const real3 f = p.xyz - q.xyz;
            gathered.force += f;
#if TALLY
            const real3 d = displacement(me, position[place], box);
            const real3 half_f = f / 2;
            gathered.tallies.s0 += q.w;
            gathered.tallies.s123 += half_f * d;
            gathered.tallies.s456 += (real3)(d.x * half_f.y, d.x * half_f.z, d.y * half_f.z);
#endif
        }
    }
    return gathered;
}
#define SLOTS_ARGUMENT \
    , __global const uint *restrict slot_place, __global const real4 *restrict slot_force, \
    __global const uint *restrict slot_count, uint slots
#if TALLY
#define ADD_SLOTS(i, me, force_, tally_) { \
    const Gathered gathered = gather_slots(i, me, position, slot_place, slot_force, slot_count, slots, stride, box); \
    force_ += gathered.force; \
    tally_ += gathered.tallies; \
}
#else
#define ADD_SLOTS(i, me, force_, tally_) \
    force_ += gather_slots(i, me, position, slot_place, slot_force, slot_count, slots, stride, box).force;
#endif
