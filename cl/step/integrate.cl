// What the fixes do to one atom at the places of a step. Each fix supplies functions of an Atom and of what is Here,
// in cl/fix/<style>.cl; src/engine/step.rs writes their calls, in the order of the script:
//   INITIAL_STAGES(a, h)   before the forces: positions move, then what follows from where they are
//   FORCE_STAGES(a, h)     after the forces: they change
//   FINAL_STAGES(a, h)     after all forces: velocities follow, then what fixes do at the end of every step
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
    __global const accum *memory; // what it remembers, of each atom 3 numbers per ID, or sums that it goes on with
    __global uint *count; // what the fix counts during a run (COUNT_ONE)
    long step;               // as the script counts
    uint group;              // the fix's group, as a bit of the masks
    BOX_SPACE const Box *box;
#ifdef MEASURE
    accum *sums; // what the fix's functions add up
#endif
#ifdef SETS
    int tallied; // 0 within a launch of several steps, where nobody looks at virials of the step
#endif
    accum3 given; // what formulas of the script give of the atom, else 0 (src/script/atom_expr/code.rs)
} Here;

// Adds to the k-th of a fix's sums, in kernels that measure (cl/analysis/fix_sums.cl, TOTALS of cl/force/whole_steps.cl).
#ifdef MEASURE
#define ADD_UP(h, k, value) (h)->sums[k] += (value)
#else
#define ADD_UP(h, k, value)
#endif
// The same of the virial of a force on an atom at a place: xx yy zz xy xz yz, the k-th and the next five.
#define ADD_UP_VIRIAL(h, k, force_, place) \
    ADD_UP(h, k, (force_).x * (place).x); \
    ADD_UP(h, (k) + 1, (force_).y * (place).y); \
    ADD_UP(h, (k) + 2, (force_).z * (place).z); \
    ADD_UP(h, (k) + 3, (force_).x * (place).y); \
    ADD_UP(h, (k) + 4, (force_).x * (place).z); \
    ADD_UP(h, (k) + 5, (force_).y * (place).z);

// Adds one to what the fix counts.
#define COUNT_ONE(h) atomic_inc((h)->count);

// Where a launch makes several steps amid which sums come into that memory (cl/force/whole_steps.cl), or functions of atoms write there.
#if defined(TOTALS) || defined(SETS) || (defined(STEPS) && defined(FEEDBACK))
#define MEMORY_ACCESS __global accum *
#else
#define MEMORY_ACCESS __global const accum *restrict
#endif

// The arrays, as kernels get them. `row` and `next_row` are where the parameters of a step and of the next one
// begin, `origin` is the script's step when the kernels' steps began at 0; `counts` are one for each fix.
#define ATOM_ARGUMENTS \
    __global master *restrict x, __global accum *restrict v, __global const uint *restrict type, \
    __global const uint *restrict mask, __global const uint *restrict tag, __global const long *restrict image, \
    __global const accum *restrict parameters, uint row, uint next_row, MEMORY_ACCESS memory, \
    __global uint *restrict counts, long origin
#define ATOM_NAMES x, v, type, mask, tag, image, parameters, row, next_row, memory, counts, origin
#define LOAD_ATOM(i, force) {vload3(i, x), vload3(i, v), force, type[i], mask[i], tag[i], image[i]}
#if !defined(SETS)
#define TALLIED_AT(step)
#define TALLIED_FROM(h)
#elif defined(STEPS) // before the step `stop`
#define TALLIED_AT(step) , (step) >= stop
#define TALLIED_FROM(h) , (h)->tallied
#else
#define TALLIED_AT(step) , 1
#define TALLIED_FROM(h) , (h)->tallied
#endif
#ifdef MEASURE
#define HERE_IN_BOX(row, step, box_) {parameters + (row), memory, counts, origin + (long)(step), 0, box_, sums TALLIED_AT(step)}
#define SUMS_FROM(h, first_sum) , (h)->sums + (first_sum) TALLIED_FROM(h)
#else
#define HERE_IN_BOX(row, step, box_) {parameters + (row), memory, counts, origin + (long)(step), 0, box_ TALLIED_AT(step)}
#define SUMS_FROM(h, first_sum) TALLIED_FROM(h)
#endif
#define HERE(row, step) HERE_IN_BOX(row, step, box)

// Calls the function of the fix at a place for the atoms of `called` (its group or groups, or all) that are `inside` its region (an
// expression of `at` and `own`, src/model/region/code.rs); its parameters begin at `first`, its memory at `first_memory`, its
// sums at `first_sum`; `formulas` are statements that set `own.given`, or none.
#define CALL_STAGE(name, place, group, called, first, first_memory, first_sum, inside, formulas, a, h) \
    if ((a)->mask & (called)) { \
        Here own = {(h)->p + (first), (h)->memory + (first_memory), (h)->count + (place), (h)->step, group, \
                          (h)->box SUMS_FROM(h, first_sum)}; \
        const accum3 at = coordinates((a)->x); \
        if (inside) { \
            formulas \
            name(a, &own); \
        } \
    }

// What an atom adds to the FEEDBACK_SUMS sums of the fix whose part of each step is the device's (cl/step/coupling.cl), which
// remembers its numbers at the beginning of the memory (FEEDBACK_MEMORY, but for cl/force/whole_steps.cl): 0 outside its group.
#if !(defined(STEPS) && defined(FEEDBACK)) || defined(SETS)
#define FEEDBACK_MEMORY 0
#endif
#define CALL_MEASURE(name, group, first, a, h, virial, out) \
    if ((a)->mask & (group)) { \
        const Here own = {(h)->p + (first), (h)->memory + FEEDBACK_MEMORY, (h)->count, (h)->step, group, \
                          (h)->box SUMS_FROM(h, 0)}; \
        name(a, &own, virial, out); \
    } else { \
        for (uint sum = 0; sum < FEEDBACK_SUMS; sum++) (out)[sum] = 0; \
    }
#define STORE_MEASURED(a, h, virial, i, measured, stride) { \
    const uint to = MEASURED_AT(a, h, i); \
    if (to != NO_SLOT) { \
        accum added[FEEDBACK_SUMS]; \
        MEASURE_ATOM(a, h, virial, added) \
SHORT_LOOP \
        for (uint sum = 0; sum < FEEDBACK_SUMS; sum++) (measured)[sum * (stride) + to] = added[sum]; \
    } \
}
// Where they go: to the place of the atom, or where sets of atoms go on each by itself (cl/step/sets.cl) to its slot among the atoms of these,
// if it has one.
#define NO_SLOT 0xffffffffu
#ifndef SETS
#define MEASURED_AT(a, h, i) (i)
#endif
#define SLOT_OF(name, group, first, a, h) \
    (((a)->mask & (group)) ? name(a, (h)->p + (first), (h)->memory + FEEDBACK_MEMORY) : NO_SLOT)
// The virial of an atom along the axes, which is tallied where a fix on the device moves the box.
#ifdef BOX_MOVES
#define VIRIAL_OF(tally) convert_accum3((tally).s123)
#else
#define VIRIAL_OF(tally) (accum3)(0)
#endif

static inline master3 drift(master3 x, accum3 by) {
    return x + MASTER_OF(by);
}

// A position in distance units.
static inline accum3 coordinates(master3 x) {
#ifdef SINGLE
    return convert_float3(x) / (float3)(MASTER_PER_LENGTH);
#else
    return x;
#endif
}

// The edges of the box in master units.
static inline master3 edges(BOX_SPACE const Box *box) {
    return (master3)(box->length[0], box->length[1], box->length[2]);
}

// A position with the box lengths that the atom has crossed, in distance units.
static inline accum3 unwrapped(const Atom *a, BOX_SPACE const Box *box) {
    const master3 crossed = (master3)(image_of(a->image, 0), image_of(a->image, 1), image_of(a->image, 2));
    master3 x = a->x + crossed * edges(box);
#ifdef TRICLINIC
    x.x += crossed.y * box->tilt[0] + crossed.z * box->tilt[1];
    x.y += crossed.z * box->tilt[2];
#endif
    return coordinates(x);
}

// The way to x from the nearest point of a segment, in the plane of a cone's axis and x: (distance from the axis, along it).
// Beside the segment it is across it to the last digit, however long that is: squares of what stands for no limit, 1e20, are
// beyond fp32.
static inline accum2 way_from_segment(accum2 from, accum2 to, accum2 x) {
    const accum2 edge = to - from, way = x - from;
    const accum2 part = edge / fmax(fabs(edge.x), fabs(edge.y)), along = part / sqrt(dot(part, part));
    const accum passed = dot(way, along);
    if (!(passed > 0)) return way;
    if (passed >= dot(edge, along)) return x - to;
    const accum2 across = (accum2)(along.y, -along.x);
    return dot(way, across) * across;
}

// rint, for which some runtimes call a function: at 1.5 * 2^52, in fp32 1.5 * 2^23, floating-point numbers are whole numbers.
// For numbers well below that.
static inline accum nearest_whole(accum x) {
#ifdef SINGLE
    const accum whole = 12582912.0f;
#else
    const accum whole = 6755399441055744.0;
#endif
    return (x + whole) - whole;
}

// The shortest of a separation and its images across periodic faces, in distance units; where edges lean that of the
// nearest along each edge, the last one first. Most are within half a box, and a division takes longer than to see that.
static inline accum3 nearest_image(accum3 d, BOX_SPACE const Box *box) {
    const accum3 length = coordinates(edges(box));
#ifdef TRICLINIC
    const accum3 b = coordinates((master3)(box->tilt[0], box->length[1], 0));
    const accum3 c = coordinates((master3)(box->tilt[1], box->tilt[2], box->length[2]));
    if (box->periodic[2]) d -= c * nearest_whole(d.z / c.z);
    if (box->periodic[1]) d -= b * nearest_whole(d.y / b.y);
    if (box->periodic[0]) d.x -= length.x * nearest_whole(d.x / length.x);
    return d;
#endif
    if (box->periodic[0] && 2 * fabs(d.x) > length.x) d.x -= length.x * nearest_whole(d.x / length.x);
    if (box->periodic[1] && 2 * fabs(d.y) > length.y) d.y -= length.y * nearest_whole(d.y / length.y);
    if (box->periodic[2] && 2 * fabs(d.z) > length.z) d.z -= length.z * nearest_whole(d.z / length.z);
    return d;
}

// The unit vector along an axis; zero for none, which is negative.
static inline accum3 along_axis(int axis) {
    return (accum3)(axis == 0, axis == 1, axis == 2);
}

// A component of a vector, by the number of the axis: on CPUs in a fraction of the time that a product with along_axis takes.
static inline accum component(accum3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// A position as a region sees it that has moved by r[0..2] and turned about the axis r[6..8] through r[3..5], by the angle of
// cosine r[9] and sine r[10]: back where the region was defined.
static inline accum3 moved_back(accum3 at, __global const accum *r) {
    const accum3 point = vload3(1, r), axis = vload3(2, r), from = at - vload3(0, r) - point;
    const accum3 along = dot(from, axis) * axis, off = from - along;
    return point + along + off * r[9] - cross(axis, off) * r[10];
}

// What the fix remembers of an atom.
static inline accum3 remembered(const Atom *a, const Here *h) {
    return vload3(a->tag - 1, h->memory);
}
