// What a minimization does with all atoms between its looks at forces and energy (src/run/minimize/vectors.rs). Directions and where a
// search along a line began, 3 numbers per atom, need not follow the atoms when those are ordered anew: each has a slot there for
// good, by ID. Velocities follow.
//   REDUCE_LOCAL   work-items per group (a power of two, 1 on CPUs)
//   SPARSE_IDS     IDs go far beyond the number of atoms: `slots` are all IDs in order, instead of the slots by ID
#ifdef SPARSE_IDS
#define SLOT(i) slot_of(tag[i], slots, n)
static inline uint slot_of(uint id, __global const uint *restrict slots, uint n) {
    uint first = 0, last = n - 1;
    while (first < last) {
        const uint middle = first + (last - first) / 2;
        if (slots[middle] < id) first = middle + 1;
        else last = middle;
    }
    return first;
}
#else
#define SLOT(i) slots[tag[i] - 1]
#endif

// The slots are the places at the beginning, near which atoms stay.
__kernel void give_slots(__global const uint *restrict tag, __global uint *restrict slots, uint n) {
    const uint i = get_global_id(0);
    if (i < n) slots[tag[i] - 1] = i;
}

// Puts an atom where it is to be, and sees whether the list serves it there.
#define PLACE_ARGUMENTS \
    __global master *restrict x, __global const uint *restrict type, __global staged *restrict position, \
    __global const staged *restrict x_hold, __constant const Box *restrict box, __global uint *restrict status, \
    uint step, real trigger, uint stride, uint n
#define MOVE_TO(at, i) { \
    const master3 to = (at); \
    const staged s = store_position(to, type[i], i, x, position, box, stride); \
    watch(to, s, x_hold[i], box, status, step, trigger); \
}

// Where a search along a line begins.
__kernel void keep_start(__global const master *restrict x, __global const long *restrict image, __global const uint *restrict tag,
                         __global const uint *restrict slots, __global master *restrict start,
                         __global long *restrict start_image, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint slot = SLOT(i);
    vstore3(vload3(i, x), slot, start);
    start_image[slot] = image[i];
}

// x = start + alpha direction. Where the box takes part, atoms with a bit of `carried` have followed it before: from the corner
// map[0..2] to map[3..5], longer by the factors map[6..8] and aside by y map[9] + z map[10] along x, z map[11] along y.
__kernel void go_along(PLACE_ARGUMENTS, __global const long *restrict image, __global const uint *restrict tag,
                       __global const uint *restrict mask, __global const uint *restrict slots,
                       __global const master *restrict start, __global const long *restrict start_image,
                       __global const accum *restrict direction, accum alpha, __global const accum *restrict map,
                       uint carried) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    const uint slot = SLOT(i);
    master3 at = vload3(slot, start);
#ifndef SINGLE // where boxes do not change
    if (mask[i] & carried) {
        const accum3 way = at - vload3(0, map);
        at = vload3(1, map) + way * vload3(2, map) + (accum3)(way.y * map[9] + way.z * map[10], way.z * map[11], 0);
    }
#endif
    at += MASTER_OF(alpha * vload3(slot, direction));
    // Where it has been wrapped since.
    const long began = start_image[slot], now = image[i];
    if (began != now) {
        const master back_x = image_of(began, 0) - image_of(now, 0), back_y = image_of(began, 1) - image_of(now, 1);
        const master back_z = image_of(began, 2) - image_of(now, 2);
        at += (master3)(back_x * box->length[0], back_y * box->length[1], back_z * box->length[2]);
#ifdef TRICLINIC
        at += (master3)(back_y * box->tilt[0] + back_z * box->tilt[1], back_z * box->tilt[2], 0);
#endif
    }
    MOVE_TO(at, i)
}

// Damped motion: back along the velocity, which is forgotten if `rest`; then v += first f / m, v = keep v + turn f, no component
// beyond `fastest` if that is not 0, x += drift v, v += last f / m.
__kernel void move_damped(PLACE_ARGUMENTS, __global accum *restrict v, __global const real *restrict force,
                          __global const accum *restrict mass, accum back, int rest, accum first, accum keep, accum turn,
                          accum fastest, accum drift, accum last) {
    const uint i = get_global_id(0);
    if (i >= n || halted_before(status, step)) return;
    const accum3 f = convert_accum3(vload3(i, force)), push = f / mass[type[i] - 1];
    accum3 u = vload3(i, v);
    master3 at = vload3(i, x) + MASTER_OF(back * u);
    if (rest) u = 0;
    u += first * push;
    u = keep * u + turn * f;
    if (fastest != 0) { // what is no number stays none
        u = select(u, (accum3)fastest, u > fastest);
        u = select(u, (accum3)-fastest, u < -fastest);
    }
    at += MASTER_OF(drift * u);
    vstore3(u + last * push, i, v);
    MOVE_TO(at, i)
}

// Of all forces f, with vectors a and b that stand by slot or, without `by_slot`, as the atoms do: sums f f, f a, f b, a a; pair and bond
// energy, and whether the run is halted; the largest component of f, square of the force on an atom, component of a, and
// component of f / m. In a fixed order, as cl/analysis/reduce.cl has it.
#define SEARCH_SUMS 3 // times four
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void search_sums(__global const real *restrict force, __global const real *restrict tally, __global const uint *restrict tag,
                 __global const uint *restrict slots, __global const uint *restrict type, __global const accum *restrict mass,
                 __global const accum *a, __global const accum *b, int by_slot, __global accum *restrict partial,
                 __global const uint *restrict status, uint step, uint n) {
    __local accum shared[4 * SEARCH_SUMS * REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    uint begin, end;
    part_of_group(n, &begin, &end);
    accum4 sum = 0, energy = 0, most = 0;
    if (get_global_id(0) == 0 && halted(status, step)) energy.z = 1;
    for (uint i = begin + lid; i < end; i += REDUCE_LOCAL) {
        const uint at = by_slot ? SLOT(i) : i;
        const accum3 f = convert_accum3(vload3(i, force)), along = vload3(at, a), before = vload3(at, b);
        const accum squared = dot(f, f);
        const accum3 sizes = fabs(f), ways = fabs(along);
        const accum largest = max(max(sizes.x, sizes.y), sizes.z);
        sum += (accum4)(squared, dot(f, along), dot(f, before), dot(along, along));
        energy += (accum4)(tally[8 * i], tally[8 * i + 7], 0, 0);
        most = max(most, (accum4)(largest, squared, max(max(ways.x, ways.y), ways.z), largest / mass[type[i] - 1]));
    }
    vstore4(sum, SEARCH_SUMS * lid, shared);
    vstore4(energy, SEARCH_SUMS * lid + 1, shared);
    vstore4(most, SEARCH_SUMS * lid + 2, shared);
    for (uint reach = REDUCE_LOCAL / 2; reach > 0; reach >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < reach) {
            const uint mine = SEARCH_SUMS * lid, theirs = SEARCH_SUMS * (lid + reach);
            vstore4(vload4(mine, shared) + vload4(theirs, shared), mine, shared);
            vstore4(vload4(mine + 1, shared) + vload4(theirs + 1, shared), mine + 1, shared);
            vstore4(max(vload4(mine + 2, shared), vload4(theirs + 2, shared)), mine + 2, shared);
        }
    }
    if (lid == 0) {
        for (uint k = 0; k < SEARCH_SUMS; k++) vstore4(vload4(k, shared), SEARCH_SUMS * get_group_id(0) + k, partial);
    }
}

// direction = f + beta direction; f is the next gradient.
__kernel void turn_direction(__global const real *restrict force, __global const uint *restrict tag,
                             __global const uint *restrict slots, __global accum *restrict direction,
                             __global accum *restrict gradient, accum beta, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint slot = SLOT(i);
    const accum3 f = convert_accum3(vload3(i, force));
    // Of the first direction nothing is known.
    vstore3(beta == 0 ? f : f + beta * vload3(slot, direction), slot, direction);
    vstore3(f, slot, gradient);
}
