// What the fixes do to one atom at the places of a step. Each fix supplies functions of an Atom and of what is Here,
// in cl/fix/<style>.cl; src/plan.rs writes their calls, in the order of the script:
//   INITIAL_STAGES(a, h)   before the forces: positions move
//   FORCE_STAGES(a, h)     after the forces: they change
//   FINAL_STAGES(a, h)     after all forces: velocities follow
//   END_STAGES(a, h, which) at the end of a step, after the host's part of the fix `which`

// Everything about an atom that fixes may read and change; what they do not use is not loaded.
typedef struct {
    master3 x;
    accum3 v;
    real3 f;
    uint type;
    uint mask;
    uint tag;
    long image;
} Atom;

// Where and when.
typedef struct {
    __global const accum *p; // the fix's parameters for this step
    long step;               // as the script counts
    uint group;              // the fix's group, as a bit of the masks
    __constant const Box *box;
} Here;

// The arrays, as kernels get them. `row` and `next_row` are where the parameters of a step and of the next one
// begin, `origin` is the script's step when the kernels' steps began at 0.
#define ATOM_ARGUMENTS \
    __global master *restrict x, __global accum *restrict v, __global const uint *restrict type, \
    __global const uint *restrict mask, __global const uint *restrict tag, __global const long *restrict image, \
    __global const accum *restrict parameters, uint row, uint next_row, long origin
#define LOAD_ATOM(i, force) {vload3(i, x), vload3(i, v), force, type[i], mask[i], tag[i], image[i]}
#define HERE(row, step) {parameters + (row), origin + (long)(step), 0, box}

// Calls a fix's function for the atoms of `called`, which is its group or all; its parameters begin at `first`.
#define CALL_STAGE(name, group, called, first, a, h) \
    if ((a)->mask & (called)) { \
        const Here own = {(h)->p + (first), (h)->step, group, (h)->box}; \
        name(a, &own); \
    }

// Positions are in units of the master's fixed point in SINGLE, so a drift is rounded to it.
static inline master3 drift(master3 x, accum3 by) {
#ifdef SINGLE
    return x + convert_long3_rte(by * (float3)(MASTER_PER_LENGTH));
#else
    return x + by;
#endif
}

// A position in distance units.
static inline accum3 coordinates(master3 x) {
#ifdef SINGLE
    return convert_float3(x) / (float3)(MASTER_PER_LENGTH);
#else
    return x;
#endif
}
