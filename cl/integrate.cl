// Integration: what the fixes do to one atom, before and after the forces. Each fix supplies functions of an Atom
// and its parameters, in cl/fix/<style>.cl; src/plan.rs writes their calls, in the order of the script:
//   INITIAL_STAGES(a)   before the forces
//   FINAL_STAGES(a)     after the forces

// Everything about an atom that fixes may read and change.
typedef struct {
    master3 x;
    accum3 v;
    real3 f;
    uint type;
    uint mask;
} Atom;

// The arrays, as kernels get them.
#define ATOM_ARGUMENTS \
    __global master *restrict x, __global accum *restrict v, __global const uint *restrict type, \
    __global const uint *restrict mask, __global const accum *restrict parameters
#define LOAD_ATOM(i, force) {vload3(i, x), vload3(i, v), force, type[i], mask[i]}

// Positions are in units of the master's fixed point in SINGLE, so a drift is rounded to it.
static inline master3 drift(master3 x, accum3 by) {
#ifdef SINGLE
    return x + convert_long3_rte(by * (float3)(MASTER_PER_LENGTH));
#else
    return x + by;
#endif
}
