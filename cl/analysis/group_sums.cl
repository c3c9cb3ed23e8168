// Sums over the atoms of a group that computes and formulas ask for, in the order of cl/analysis/reduce.cl.
// src/engine/analysis/group_sums.rs has the twins.
//   TERM   what an atom adds: six numbers by one of the functions below, and beside them its number, 1, and mass
//   KEEPS  there are three numbers per ID from earlier, KEPT_NOTHING where there was no such atom

// An atom.
typedef struct {
    accum3 x; // with the box lengths that it has crossed
    accum3 v;
    accum3 f;
    accum3 about; // a place or velocity from which is counted, for all atoms
    accum3 kept;  // what is kept of it from earlier
    accum mass;
} SummedAtom;

#define KEPT_NOTHING 1e300

static inline accum8 three(accum3 a) {
    return (accum8)(a, 0, 0, 0, 0, 0);
}
// xx yy zz xy xz yz.
static inline accum8 tensor_of(accum3 a) {
    return (accum8)(a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z, 0, 0);
}

static inline accum8 mass_times_place(const SummedAtom *a) {
    return three(a->mass * a->x);
}
static inline accum8 momentum_of(const SummedAtom *a) {
    return three(a->mass * a->v);
}
static inline accum8 force_on(const SummedAtom *a) {
    return three(a->f);
}
static inline accum8 spread_of(const SummedAtom *a) {
    return a->mass * tensor_of(a->x - a->about);
}
static inline accum8 thermal_motion(const SummedAtom *a) {
    return a->mass * tensor_of(a->v - a->about);
}
static inline accum8 angular_momentum_of(const SummedAtom *a) {
    return three(a->mass * cross(a->x - a->about, a->v));
}
static inline accum8 torque_on(const SummedAtom *a) {
    return three(cross(a->x - a->about, a->f));
}
static inline accum8 squared_displacement(const SummedAtom *a) {
    const accum3 moved = (a->kept.x < KEPT_NOTHING ? a->x - a->kept : (accum3)(0)) - a->about;
    return three(moved * moved);
}
static inline accum8 velocity_product(const SummedAtom *a) {
    return three(a->kept.x < KEPT_NOTHING ? a->v * a->kept : (accum3)(0));
}

__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void survey_atoms(__global const master *restrict x, __global const accum *restrict v, __global const uint *restrict type,
                  __global const uint *restrict mask, __global const uint *restrict tag, __global const long *restrict image,
                  __global const real *restrict force, __global const accum *restrict kept,
                  __global const accum *restrict select, __constant const Box *box,
                  __global const accum *restrict mass, __global accum *restrict partial, uint group, accum about_x,
                  accum about_y, accum about_z, uint selects, uint n) {
    __local accum shared[8 * REDUCE_LOCAL];
    uint first, last;
    part_of_group(n, &first, &last);
    accum8 sum = 0;
    for (uint i = first + get_local_id(0); i < last; i += REDUCE_LOCAL) {
        if (!(mask[i] & group) || selects && select[i] == 0) continue;
        const Atom a = LOAD_ATOM(i, vload3(i, force));
        SummedAtom s = {unwrapped(&a, box), a.v, convert_accum3(a.f), (accum3)(about_x, about_y, about_z), 0, mass[a.type - 1]};
#ifdef KEEPS
        s.kept = vload3(a.tag - 1, kept);
#endif
        sum += TERM(&s) + (accum8)(0, 0, 0, 0, 0, 0, 1, s.mass);
    }
    store_group_sum(sum, shared, partial);
}
