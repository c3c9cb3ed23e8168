// Cells: each atom's cell, the range of atoms in each cell, the order (cell, tag) or (cell, type, tag), and the
// permutation of all atom arrays into it.
//
// Cells divide the box exactly. A cell's number is x fastest, z slowest; `cell_rank` gives its place along a
// Hilbert curve, which is the order of atoms, and `cell_at` the number of the cell at a place. The number
// one past the last stands for atoms behind a fixed face.

// The box is `to` from here on, unless the run has halted at `step` or before.
__kernel void set_box(__global Box *box, Box to, __global const uint *restrict status, uint step) {
    if (get_global_id(0) == 0 && !halted(status, step)) *box = to;
}

// Which cell a coordinate lies in; outliers join the edge cells.
static inline int cell_of(master x, master lo, accum inverse_cell, int cells) {
    return clamp(convert_int(convert_accum(x - lo) * inverse_cell), 0, cells - 1);
}

static inline uint cell_number(master3 x, __constant const Box *box) { // straightened
    const int cx = cell_of(x.x, box->lo[0], box->inverse_cell[0], box->cells[0]);
    const int cy = cell_of(x.y, box->lo[1], box->inverse_cell[1], box->cells[1]);
    const int cz = cell_of(x.z, box->lo[2], box->inverse_cell[2], box->cells[2]);
    return (cz * box->cells[1] + cy) * box->cells[0] + cx;
}

// One coordinate into [lo, hi); *image counts the boxes it crossed. The quotient may be rounded to the
// wrong side of a whole number: the comparisons after it put that right.
static inline master wrap(master x, master lo, master hi, master length, accum inverse_length, long *image) {
    if (x >= lo && x < hi) return x;
    const accum boxes = floor(convert_accum(x - lo) * inverse_length);
    x -= (master)boxes * length;
    *image += convert_long(boxes);
    if (x < lo) {
        x += length;
        *image -= 1;
    }
    if (x >= hi) {
        x -= length;
        *image += 1;
    }
    return max(x, lo);
}

// Whether a position is one: NOWHERE is too far away for any box, and such an atom is lost.
#define FINITE 0
#define NO_NUMBER 1
#define NOWHERE 2
static inline uint trouble(master3 x) {
#ifdef SINGLE
    return FINITE; // fixed point has no infinities; a NaN velocity shows in the kinetic energy
#else
    if (!all(isfinite(x))) return NO_NUMBER;
    return all(fabs(x) < 1e12) ? FINITE : NOWHERE;
#endif
}

// Where cells and lists take an atom to be that is at x (src/engine/neighbor/prediction.rs): where it comes with its velocity and the kicks of
// this step in so many more `steps`, half of those since the build before, but no farther than `most`. With 0 steps nobody asks.
#define PREDICTION_ARGUMENTS(RESTRICT) __global const float *RESTRICT half_step_v, uint since, accum step_time, accum most
#define PREDICTION_TAKEN __global const float *half_step_v, accum steps, accum step_time, accum most
#define PREDICTION_PASSED half_step_v, steps, step_time, most
static inline accum predicted_steps(__global const uint *status, uint step, uint since) {
    return (accum)(step - (since >= CYCLES ? status[STATUS_LOG + since % LOG] : since)) / 2;
}
static inline master3 predicted(master3 x, uint i, __global const accum *v, PREDICTION_TAKEN) {
    const accum3 u = vload3(i, v);
    accum3 by = (u + (u - convert_accum3(vload3(i, half_step_v))) * steps) * (steps * step_time);
    const accum far = sqrt(by.x * by.x + by.y * by.y + by.z * by.z);
    if (!isfinite(far)) return x;
    if (far > most) by *= most / far;
    return x + MASTER_OF(by);
}

// Wraps an atom into the box and finds its cell, that of where it is predicted to be. For the counting sort it also takes a number
// within the cell; which one depends on chance, and place_atoms with permute_atoms make up for it. For the radix sort `slot`
// receives the sort key instead.
#define BIN_ARGUMENTS(RESTRICT) \
    __global master *RESTRICT x, __global const accum *RESTRICT v, __global long *RESTRICT image, __global uint *RESTRICT cell, \
    __global uint *RESTRICT slot, __global uint *RESTRICT counts, __global const uint *RESTRICT cell_rank, \
    __constant const Box *box, __global uint *RESTRICT status, uint step
#define BINNED x, v, image, cell, slot, counts, cell_rank, box, status, step
static inline void bin_atom(uint i, BIN_ARGUMENTS(), PREDICTION_TAKEN, int counting) {
    const uint nowhere = box->cells[0] * box->cells[1] * box->cells[2];
    master3 r = vload3(i, x);
    uint home = nowhere;
    const uint wrong = trouble(r);
    if (wrong != FINITE) {
        // The lowest bit says that there are positions which are no numbers, the others count lost atoms.
        if (wrong == NO_NUMBER) atomic_or(&status[STATUS_BAD], 1u);
        else atomic_add(&status[STATUS_BAD], 2u);
        halt(status, step);
    } else {
        const master3 straight = STRAIGHTEN(r, box);
        const master from[3] = {straight.x, straight.y, straight.z};
        master at[3];
        long crossed[3] = {0, 0, 0};
        int lost = 0, moved = 0;
        for (int d = 0; d < 3; d++) {
            at[d] = from[d];
            if (box->periodic[d])
                at[d] = wrap(at[d], box->lo[d], box->hi[d], box->length[d], box->inverse_length[d], &crossed[d]);
            else
                lost |= at[d] < box->lo[d] || at[d] >= box->hi[d];
            moved |= at[d] != from[d];
        }
        if (moved) { // most atoms are in the box already
#ifdef TRICLINIC
            // Whole edges, so that what is in the box already stays where it is to the last bit.
            const master a = crossed[0], b = crossed[1], c = crossed[2];
            r.x -= a * box->length[0] + b * box->tilt[0] + c * box->tilt[1];
            r.y -= b * box->length[1] + c * box->tilt[2];
            r.z -= c * box->length[2];
#else
            r = (master3)(at[0], at[1], at[2]);
#endif
            vstore3(r, i, x);
            const long packed = image[i];
            image[i] = pack_image(image_of(packed, 0) + crossed[0], image_of(packed, 1) + crossed[1],
                                  image_of(packed, 2) + crossed[2]);
        }
        if (steps > 0) { // in a periodic box, and less than that away
            const master3 there = STRAIGHTEN(predicted(r, i, v, PREDICTION_PASSED), box);
            const master to[3] = {there.x, there.y, there.z};
            for (int d = 0; d < 3; d++) {
                at[d] = to[d];
                if (at[d] < box->lo[d]) at[d] += box->length[d];
                if (at[d] >= box->hi[d]) at[d] -= box->length[d];
            }
        }
        if (!lost) home = cell_number((master3)(at[0], at[1], at[2]), box);
    }
    const uint rank = home == nowhere ? nowhere : cell_rank[home];
    cell[i] = home;
    slot[i] = counting ? atomic_inc(&counts[rank]) : rank;
}
BODY void bin_called(uint2 called, BIN_ARGUMENTS(), PREDICTION_TAKEN, int counting) {
    EACH_CALLED(i, called) bin_atom(i, BINNED, PREDICTION_PASSED, counting);
}
__kernel void bin_atoms(BIN_ARGUMENTS(restrict), PREDICTION_ARGUMENTS(restrict), int counting, uint begin, uint n) {
    FIRST_CALLS
    if (passed_over(status, &step)) return;
    const accum steps = predicted_steps(status, step, since);
    const uint2 mine = CALLED_FOR;
    bin_called(begin + (uint2)(mine.x, min(mine.y, n)), BINNED, PREDICTION_PASSED, counting);
}

// Where atoms take part in the flow of a box that changes (fix deform, remap v), one that bin_atoms is about to wrap gets
// the velocity of the image that it becomes. The rates are those of lx ly lz xy xz yz.
__kernel void carry_velocities(__global const master *restrict x, __global accum *restrict v,
                               __global const uint *restrict mask, __constant const Box *box,
                               __global const uint *restrict status, uint step, uint carried, accum rate_x,
                               accum rate_y, accum rate_z, accum rate_xy, accum rate_xz, accum rate_yz, uint begin, uint end) {
    const uint i = begin + get_global_id(0);
    if (i >= end || halted_before(status, step) || !(mask[i] & carried)) return;
    const master3 r = vload3(i, x);
    if (trouble(r) != FINITE) return;
    const master3 straight = STRAIGHTEN(r, box);
    const master at[3] = {straight.x, straight.y, straight.z};
    long crossed[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++)
        if (box->periodic[d])
            wrap(at[d], box->lo[d], box->hi[d], box->length[d], box->inverse_length[d], &crossed[d]);
    if (crossed[0] == 0 && crossed[1] == 0 && crossed[2] == 0) return;
    const accum a = crossed[0], b = crossed[1], c = crossed[2];
    accum3 u = vload3(i, v);
    u.x -= a * rate_x + b * rate_xy + c * rate_xz;
    u.y -= b * rate_y + c * rate_yz;
    u.z -= c * rate_z;
    vstore3(u, i, v);
}

// Cells for each of the groups of a prefix sum, a multiple of four.
static inline uint share_of(uint bins, uint groups) {
    return ((bins + groups - 1) / groups + 3) / 4 * 4;
}

// Counting sort on large grids, first half of the prefix sum: what the atoms of each group's share of the cells add up to.
__kernel __attribute__((reqd_work_group_size(SCAN_LOCAL, 1, 1)))
void count_groups(__global const uint *restrict counts, __global uint *restrict sums, uint bins) {
    __local uint parts[SCAN_LOCAL];
    const uint lid = get_local_id(0);
    const uint share = share_of(bins, get_num_groups(0));
    const uint first = min((uint)get_group_id(0) * share, bins), last = min(first + share, bins);
    uint sum = 0;
    for (uint c = first + lid; c < last; c += SCAN_LOCAL) sum += counts[c];
    parts[lid] = sum;
    for (uint step = SCAN_LOCAL / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step) parts[lid] += parts[lid + step];
    }
    if (lid == 0) sums[get_group_id(0)] = parts[0];
}

// A group of one work-item needs no barrier and no local memory.
#if SCAN_LOCAL > 1
#define SCAN_FUNCTION ALWAYS_INLINE
#define SCAN_SPACE __local
#define SCAN_ITEM get_local_id(0)
#define SCAN_MEETING barrier(CLK_LOCAL_MEM_FENCE);
#else
#define SCAN_FUNCTION BODY
#define SCAN_SPACE __private
#define SCAN_ITEM 0
#define SCAN_MEETING
#endif

// The prefix sum: the range of atoms of every cell, (first, one behind the last), from the counts in the order
// of ranks. A group begins with what comes before its share: `sums` of the groups before it, or without them
// (`summed`) the counts themselves. Atoms behind a fixed face come last and halt the run. `around` are the atoms before all cells and
// those behind, which are other ranks'.
#define PART(side, k) parts[(side) * SCAN_LOCAL + (k)]
SCAN_FUNCTION void count_share(uint group, uint groups, __global const uint *counts, __global const uint *sums,
                               __global const uint *cell_at, __global uint *range, __global uint *status, uint step,
                               int summed, uint bins, uint2 around, SCAN_SPACE uint *parts) {
    const uint lid = SCAN_ITEM;
    const uint share = share_of(bins, groups);
    const uint begin = min(group * share, bins), end = min(begin + share, bins);
    if (begin >= end) return; // for the whole group
    uint sum = 0;
    if (summed) {
        for (uint g = lid; g < group; g += SCAN_LOCAL) sum += sums[g];
    } else {
        uint4 four = 0;
        for (uint c = 4 * lid; c < begin; c += 4 * SCAN_LOCAL) four += LOAD4(counts + c);
        sum = four.x + four.y + four.z + four.w;
    }
    PART(0, lid) = sum;
    for (uint stride = SCAN_LOCAL / 2; stride > 0; stride >>= 1) {
        SCAN_MEETING
        if (lid < stride) PART(0, lid) += PART(0, lid + stride);
    }
    SCAN_MEETING
    uint carry = around.x + PART(0, 0);
    SCAN_MEETING
    for (uint base = begin; base < end; base += SCAN_LOCAL * SCAN_ITEMS) {
        const uint first = base + lid * SCAN_ITEMS;
        uint mine[SCAN_ITEMS];
        sum = 0;
        for (uint k = 0; k < SCAN_ITEMS; k++) {
            mine[k] = first + k < end ? counts[first + k] : 0;
            sum += mine[k];
        }
        uint from = 0;
        PART(0, lid) = sum;
        SCAN_MEETING
        for (uint reach = 1; reach < SCAN_LOCAL; reach <<= 1) {
            PART(1 - from, lid) = PART(from, lid) + (lid >= reach ? PART(from, lid - reach) : 0);
            from = 1 - from;
            SCAN_MEETING
        }
        uint at = carry + PART(from, lid) - sum;
        for (uint k = 0; k < SCAN_ITEMS && first + k < end; k++) {
            const uint rank = first + k;
            if (rank + 1 < bins) {
                vstore2((uint2)(at, at + mine[k]), cell_at[rank], range);
            } else { // the place for lost atoms
                vstore2((uint2)(at, at + mine[k]), rank, range);
                status[STATUS_KEPT] = at + around.y;
                status[STATUS_LONGEST] = status[STATUS_TILES] = status[STATUS_TILE_PARTS] = 0;
                if (mine[k] > 0) halt(status, step);
            }
            at += mine[k];
        }
        carry += PART(from, SCAN_LOCAL - 1);
        SCAN_MEETING
    }
}
__kernel __attribute__((reqd_work_group_size(SCAN_LOCAL, 1, 1)))
void count_ranges(__global const uint *restrict counts, __global const uint *restrict sums,
                  __global const uint *restrict cell_at, __global uint *restrict range,
                  __global uint *restrict status, uint step, int summed, uint bins, uint before, uint behind) {
    SCAN_SPACE uint parts[2 * SCAN_LOCAL];
    // Of a halted run the ranges stay, and what the status says of its last build.
    if (passed_over(status, &step)) return;
    count_share(get_group_id(0), get_num_groups(0), counts, sums, cell_at, range, status, step, summed, bins,
                (uint2)(before, behind), parts);
}

// The atoms of each cell, in an order of chance: `n` of them from `begin` on, after the last of `total` at the first. Those that have
// gone to another rank (cl/comm/migration.cl) are in no cell. The counts return to 0.
#define GONE 0xffffffffu
__kernel void place_atoms(__global const uint *restrict cell, __global const uint *restrict slot,
                          __global const uint *restrict range, __global uint *restrict sorted,
                          __global uint *restrict counts, __global const uint *restrict status, uint step, uint bins,
                          uint begin, uint total, uint n) {
    const uint k = get_global_id(0);
    if (passed_over(status, &step)) return;
    for (uint c = k; c < bins; c += get_global_size(0)) counts[c] = 0;
    if (k >= n) return;
    const uint i = begin + k < total ? begin + k : begin + k - total;
    if (cell[i] != GONE) sorted[range[2 * cell[i]] + slot[i]] = i;
}

// The ranges from radix-sorted ranks; cells between two ranks are empty. (Nothing is cleared beforehand: a halted run may
// need the ranges that it has.)
__kernel void cell_ranges(__global const uint *restrict keys, __global const uint *restrict cell_at,
                          __global uint *restrict range, __global uint *restrict status, uint step, uint cells,
                          uint n) {
    const uint k = get_global_id(0);
    if (k >= n || halted_before(status, step)) return;
    const uint key = keys[k];
    const uint next = k + 1 < n ? keys[k + 1] : cells;
    const uint home = key == cells ? cells : cell_at[key];
    for (uint empty = k == 0 ? 0 : keys[k - 1] + 1; empty < key; empty++) vstore2((uint2)(0), cell_at[empty], range);
    if (k + 1 == n && key < cells) {
        for (uint empty = key + 1; empty < cells; empty++) vstore2((uint2)(0), cell_at[empty], range);
        vstore2((uint2)(0), cells, range);
    }
    if (k == 0 || keys[k - 1] != key) range[2 * home] = k;
    if (next != key || k + 1 == n) range[2 * home + 1] = k + 1;
    if (k == 0) status[STATUS_LONGEST] = status[STATUS_TILES] = status[STATUS_TILE_PARTS] = 0;
    if (key == cells) {
        if (k == 0 || keys[k - 1] != key) {
            status[STATUS_KEPT] = k;
            halt(status, step);
        }
    } else if (k + 1 == n) {
        status[STATUS_KEPT] = n;
    }
}

// Moves every per-atom array into the order (cell, tag), or with BY_TYPE (cell, type, tag), and stages the positions, and where lists take them
// to be: each atom counts those of its cell that come before it. `cell_out` may be the array that held `slot`.
#define PERMUTE_ARGUMENTS(RESTRICT) \
    __global const uint *RESTRICT sorted, __global const uint *RESTRICT cell, __global const uint *RESTRICT range, \
    __global uint *RESTRICT cell_out, __global const master *RESTRICT x, __global master *RESTRICT x_out, \
    __global const accum *RESTRICT v, __global accum *RESTRICT v_out, __global const long *RESTRICT image, \
    __global long *RESTRICT image_out, __global const uint *RESTRICT tag, __global uint *RESTRICT tag_out, \
    __global const uint *RESTRICT type, __global uint *RESTRICT type_out, __global const uint *RESTRICT mask, \
    __global uint *RESTRICT mask_out, __global staged *RESTRICT position, __global staged *RESTRICT x_hold, \
    __constant const Box *box
#define PERMUTED \
    sorted, cell, range, cell_out, x, x_out, v, v_out, image, image_out, tag, tag_out, type, type_out, mask, mask_out, \
    position, x_hold, box
static inline void permute_atom(uint k, PERMUTE_ARGUMENTS(), PREDICTION_TAKEN, uint stride) {
    const uint i = sorted[k];
    const uint home = cell[i];
    const uint mine = tag[i];
    const uint first = range[2 * home], last = range[2 * home + 1];
    uint to = first;
    const uint t = type[i];
#ifdef BY_TYPE
    for (uint m = first; m < last; m++) {
        const uint other = type[sorted[m]];
        to += other < t || (other == t && tag[sorted[m]] < mine);
    }
#else
    for (uint m = first; m < last; m++) to += tag[sorted[m]] < mine;
#endif
    const master3 r = vload3(i, x);
    vstore3(r, to, x_out);
    vstore3(vload3(i, v), to, v_out);
    image_out[to] = image[i];
    tag_out[to] = mine;
    type_out[to] = t;
    mask_out[to] = mask[i];
    cell_out[to] = home;
    const staged s = stage(STRAIGHTEN(r, box), t, box);
    store_staged(position, stride, to, s, box);
#ifdef KEPT_IN_SPACE
    x_hold[to] = (staged)(r, s.w);
#else
    const staged there = steps > 0 ? stage(STRAIGHTEN(predicted(r, i, v, PREDICTION_PASSED), box), t, box) : s;
    store_staged(x_hold, stride, to, there, box);
#endif
}
BODY void permute_called(uint2 called, PERMUTE_ARGUMENTS(), PREDICTION_TAKEN, uint stride) {
    EACH_CALLED(k, called) permute_atom(k, PERMUTED, PREDICTION_PASSED, stride);
}
__kernel void permute_atoms(PERMUTE_ARGUMENTS(restrict), __global const uint *restrict status, uint step,
                            PREDICTION_ARGUMENTS(restrict), uint stride, uint begin, uint n) {
    FIRST_CALLS
    if (passed_over(status, &step)) return;
    const accum steps = predicted_steps(status, step, since);
    const uint2 mine = CALLED_FOR;
    permute_called(begin + (uint2)(mine.x, min(mine.y, n)), PERMUTED, PREDICTION_PASSED, stride);
}

#ifdef TOGETHER
// Whether the faces that follow the atoms stay where they are, as src/model/domain.rs puts them: its Domain::faces are `faces`. For the
// only work-item, in an orthogonal box.
#if CLUSTER > 1 && !defined(SINGLE)
#define FACES_STAY(x, faces, box, n) faces_stay(x, faces, box, n)
BODY int faces_stay(__global const double *x, __global const double *faces, __constant const Box *box, uint n) {
    for (int d = 0; d < 3; d++) {
        const double margin = faces[5 * d], first = faces[5 * d + 1], last = faces[5 * d + 2];
        const double lower = faces[5 * d + 3], upper = faces[5 * d + 4];
        if (lower == 0 && upper == 0) continue;
        double least = x[d], most = x[d];
        for (uint i = 1; i < n; i++) {
            const double at = x[3 * i + d];
            if (at < least) least = at;
            if (at > most) most = at;
        }
        least -= margin;
        most += margin;
        if (lower == 2) least = min(least, first);
        if (upper == 2) most = max(most, last);
        if ((lower != 0 && least != box->lo[d]) || (upper != 0 && most != box->hi[d])) return 0;
    }
    return 1;
}
#else
#define FACES_STAY(x, faces, box, n) 1
#endif

// Those of `count` that are a work-item's: work-items of a warp take neighbours, cores of a CPU whole stretches, so that they do not
// write to the same lines.
#if CLUSTER > 1
#define EACH_OF_MINE(i, count) \
    for (uint i = (ulong)(count) * id / items, end_ = (ulong)(count) * (id + 1) / items; i < end_; i++)
#else
#define EACH_OF_MINE(i, count) for (uint i = id; i < (count); i += items)
#endif
BODY void bin_mine(uint id, uint items, uint n, BIN_ARGUMENTS(), PREDICTION_TAKEN) {
    EACH_OF_MINE(i, n) bin_atom(i, BINNED, PREDICTION_PASSED, 1);
}
BODY void place_mine(uint id, uint items, uint n, uint bins, __global uint *counts, __global const uint *range,
                     __global const uint *cell, __global const uint *slot, __global uint *sorted) {
    EACH_OF_MINE(c, bins) counts[c] = 0;
    EACH_OF_MINE(i, n) sorted[range[2 * cell[i]] + slot[i]] = i;
}
BODY void permute_mine(uint id, uint items, uint n, PERMUTE_ARGUMENTS(), PREDICTION_TAKEN, uint stride) {
    EACH_OF_MINE(k, n) permute_atom(k, PERMUTED, PREDICTION_PASSED, stride);
}

// All of this in one launch (after barrier.cl), for small systems with the counting sort. What one part writes others read, so no
// pointer is `restrict`: else it might come out of a cache that knows nothing of that.
__kernel __attribute__((reqd_work_group_size(SCAN_LOCAL, 1, 1)))
void order_atoms(__global uint *slot, __global uint *counts, __global const uint *cell_rank, __global const uint *cell_at,
                 __global uint *group_barrier, __global const master *faces, uint groups, uint bins, __global uint *sorted, __global uint *cell,
                 __global uint *range, __global uint *cell_out, __global master *x, __global master *x_out,
                 __global const accum *v, __global accum *v_out, __global long *image, __global long *image_out,
                 __global const uint *tag, __global uint *tag_out, __global const uint *type, __global uint *type_out,
                 __global const uint *mask, __global uint *mask_out, __global staged *position, __global staged *x_hold,
                 __constant const Box *box, __global uint *status, uint step, PREDICTION_ARGUMENTS(), uint stride, uint n) {
    SCAN_SPACE uint parts[2 * SCAN_LOCAL];
    __local int here;
    const int by_itself = step >= CYCLES;
    const int over = passed_over(status, &step);
    // One decides for its group: other groups that do not come together say so at any time.
    if (get_local_id(0) == 0) here = !over;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (!here) return;
    if (by_itself && !FACES_STAY(x, faces, box, n)) {
        status[STATUS_APART] = APART_FACES;
        halt(status, step);
        return;
    }
    const accum steps = predicted_steps(status, step, since);
    const uint id = get_global_id(0), items = get_global_size(0);
    uint turn = group_barrier[BARRIER_TURN];
    MEET(here, turn, 1)
    if (!here) {
        if (id == 0) {
            status[STATUS_APART] = APART_IN_ORDER;
            halt(status, step);
        }
        return;
    }
    bin_mine(id, items, n, BINNED, PREDICTION_PASSED);
    MEET(here, turn, 0)
    if (get_group_id(0) < groups)
        count_share(get_group_id(0), groups, counts, 0, cell_at, range, status, step, 0, bins, (uint2)(0), parts);
    MEET(here, turn, 0)
    place_mine(id, items, n, bins, counts, range, cell, slot, sorted);
    MEET(here, turn, 0)
    permute_mine(id, items, n, PERMUTED, PREDICTION_PASSED, stride);
}
#endif
