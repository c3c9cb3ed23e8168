// The full neighbour list: for each atom every other atom, or image, with r^2 <= (cutoff + skin)^2 of their
// types at build time. An entry is the place of its staged position.

// Padding: one of eight dummy positions, the one at least a quarter of the modulus away along each axis.
static inline uint dummy_for(staged a, uint dummies, __constant const Box *box) {
#ifdef DOUBLE
    const double3 to = (double3)(a.x * box->inverse_modulus[0], a.y * box->inverse_modulus[1], a.z * box->inverse_modulus[2]);
    const double3 off = fabs(to - rint(to));
    return dummies + (off.x < 0.25 ? 1 : 0) + (off.y < 0.25 ? 2 : 0) + (off.z < 0.25 ? 4 : 0);
#else
    const uint near = 1u << 30;
    return dummies + ((a.x + near) >> 31 ? 0 : 1) + ((a.y + near) >> 31 ? 0 : 2) + ((a.z + near) >> 31 ? 0 : 4);
#endif
}

// One coordinate of a cell that may lie across a face: the cell of the box that it repeats, and which copy of the
// box that is. Called with -total <= *at < 2 total.
static inline int fold(int at, int total, int cells, int *copy) {
    at += at < 0 ? total : 0;
    at -= at >= total ? total : 0;
    *copy = 0;
    if (total == cells) return at;
    *copy = at / cells;
    return at - *copy * cells;
}

// The atoms [x, y) of a cell that may lie across a face, as places in `position`.
static inline uint2 atoms_of(int3 at, __global const uint *range, __constant const Box *box, uint stride) {
    int cx, cy, cz;
    at.x = fold(at.x, box->total[0], box->cells[0], &cx);
    at.y = fold(at.y, box->total[1], box->cells[1], &cy);
    at.z = fold(at.z, box->total[2], box->cells[2], &cz);
    const uint copy = (cz * box->replicas[1] + cy) * box->replicas[0] + cx;
    return vload2((at.z * box->cells[1] + at.y) * box->cells[0] + at.x, range) + copy * stride;
}

// Along one axis, where the cells end that can be looked up from `at` on.
static inline int lowest(int at, int axis, __constant const Box *box) {
    return box->images[axis] ? at : max(at, 0);
}
static inline int highest(int at, int axis, __constant const Box *box) {
    return box->images[axis] ? at : min(at, box->cells[axis] - 1);
}

#if BUILD_LANES > 0

// GPUs: BUILD_LANES work-items share an atom. They take the cells around it in turn and go through the
// atoms of their cells one by one, all at a time; what they find is numbered across the lanes.

__kernel __attribute__((reqd_work_group_size(BUILD_LOCAL, 1, 1)))
void build_list(__global const staged *restrict position, __global const uint *restrict range,
                __global const uint *restrict home, __constant const Box *box, __global const real *restrict reach,
                __global uint *restrict list, __global uint *restrict neighbors, __global uint *restrict status,
                uint step, uint first, uint n, uint rows, uint stride, uint dummies) {
    LANE_VOTES(votes, BUILD_LOCAL)
    if (halted_before(status, step)) return;
    const uint index = (uint)get_global_id(0) / BUILD_LANES;
    const uint lane = (uint)get_global_id(0) & (BUILD_LANES - 1);
    const int active = index < n;
    const uint i = first + (active ? index : 0);
    const staged me = position[i];
    const int plane = box->cells[0] * box->cells[1];
    const int number = home[i];
    int3 center; // no %: the remainder is what the quotient leaves
    center.z = number / plane;
    center.y = (number - center.z * plane) / box->cells[0];
    center.x = number - center.z * plane - center.y * box->cells[0];
    const int3 low = (int3)(lowest(center.x - box->stencil[0], 0, box), lowest(center.y - box->stencil[1], 1, box),
                            lowest(center.z - box->stencil[2], 2, box));
    const int3 size = (int3)(highest(center.x + box->stencil[0], 0, box), highest(center.y + box->stencil[1], 1, box),
                             highest(center.z + box->stencil[2], 2, box)) - low + 1;
    // Each lane's first cell, and the way to its next one, as digits of a number of mixed radix.
    const int3 hop = (int3)(BUILD_LANES % size.x, BUILD_LANES / size.x % size.y, BUILD_LANES / size.x / size.y);
    int3 at = (int3)(lane % size.x, lane / size.x % size.y, lane / size.x / size.y);
    if (!active) at.z = size.z;
    uint2 next = at.z < size.z ? atoms_of(low + at, range, box, stride) : (uint2)(0);
    uint2 atoms = 0;
    uint count = 0;
    const size_t begin = list_begin(index * LANES, rows);
    const uint capacity = active ? rows * (LANES * VW) : 0;
#if TYPES > 1
    __global const real *my_reach = reach + (staged_type(me) - 1) * TYPES;
#endif
    int more = 1;
    while (LANES_ANY(votes, more)) {
        while (atoms.x == atoms.y && at.z < size.z) {
            atoms = next;
            at += hop;
            if (at.x >= size.x) {
                at.x -= size.x;
                at.y++;
            }
            if (at.y >= size.y) {
                at.y -= size.y;
                at.z++;
            }
            next = at.z < size.z ? atoms_of(low + at, range, box, stride) : (uint2)(0);
        }
        int hit = 0;
        const uint j = atoms.x;
        if (atoms.x < atoms.y) {
            const staged other = position[j];
#if TYPES > 1
            const real limit = my_reach[staged_type(other) - 1];
#else
            const real limit = REACH;
#endif
            hit = square(displacement(me, other, box)) <= limit && j != i;
            atoms.x++;
        }
        more = atoms.x < atoms.y || at.z < size.z;
        uint found;
        const uint k = count + LANES_BEFORE(votes, hit, lane, &found);
        if (hit && k < capacity) list[list_place(begin, k)] = j;
        count += found;
    }
    if (!active) return;
    if (count > capacity) {
        if (lane == 0) {
            atomic_max(&status[STATUS_LONGEST], count);
            halt(status, step);
            neighbors[i] = capacity;
        }
        return;
    }
    if (lane == 0) neighbors[i] = count;
    const uint dummy = dummy_for(me, dummies, box);
    for (uint k = count + lane; k < ((count + VW - 1) & ~(VW - 1u)); k += BUILD_LANES) list[list_place(begin, k)] = dummy;
}

#else

// CPUs: a work-item has vectors and a cache to itself. It takes an octant, two cells per axis, gathers the
// atoms of the cells around it, and tests VW of them at a time against each atom of the octant.

#define BATCH 1024 // private arrays: PoCL 3.1 reads wrong values through pointers to local ones

#ifdef DOUBLE
#define hit_t long
#else
#define hit_t int
#endif
#define LOADV(p) JOIN(vload, VW)(0, p)
#define STOREV(v, p) JOIN(vstore, VW)(v, 0, p)

// Appends to the lists of atoms [begin, end) what lies near enough among the candidates.
static inline void test_batch(const STAGED *x, const STAGED *y, const STAGED *z,
                              const uint *type, const uint *j, uint candidates,
                              __global const staged *position, __constant const Box *box,
                              __global const real *reach, __global uint *list, __global uint *neighbors,
                              uint first, uint begin, uint end, uint rows) {
    const uint capacity = rows * VW;
    for (uint i = begin; i < end; i++) {
        const staged me = position[i];
        __global uint *entries = list + list_begin(i - first, rows);
        uint count = neighbors[i];
        for (uint base = 0; base < candidates; base += VW) {
            const realv dx = SEPARATION(me.x, LOADV(x + base), box->unit[0], box->inverse_modulus[0]);
            const realv dy = SEPARATION(me.y, LOADV(y + base), box->unit[1], box->inverse_modulus[1]);
            const realv dz = SEPARATION(me.z, LOADV(z + base), box->unit[2], box->inverse_modulus[2]);
            const realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx));
#if TYPES > 1
            real limits[VW];
            for (uint k = 0; k < VW; k++) limits[k] = reach[(staged_type(me) - 1) * TYPES + type[base + k] - 1];
            const JOIN(hit_t, VW) hit = rsq <= LOADV(limits);
#else
            const JOIN(hit_t, VW) hit = rsq <= (realv)(REACH);
#endif
            if (!any(hit)) continue;
            hit_t hits[VW];
            STOREV(hit, hits);
            const uint valid = min((uint)VW, candidates - base);
            if (valid == VW && count + VW <= capacity) {
                for (uint k = 0; k < VW; k++) { // no branch: a miss is overwritten by the next hit
                    entries[count] = j[base + k];
                    count += hits[k] != 0 && j[base + k] != i;
                }
            } else {
                for (uint k = 0; k < valid; k++) {
                    if (hits[k] == 0 || j[base + k] == i) continue;
                    if (count < capacity) entries[count] = j[base + k];
                    count++;
                }
            }
        }
        neighbors[i] = count;
    }
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void build_list(__global const staged *restrict position, __global const uint *restrict range,
                __global const uint *restrict home, __constant const Box *box, __global const real *restrict reach,
                __global uint *restrict list, __global uint *restrict neighbors, __global uint *restrict status,
                uint step, uint first, uint n, uint rows, uint stride, uint dummies) {
    STAGED x[BATCH], y[BATCH], z[BATCH];
    uint type[BATCH], j[BATCH];
    if (halted_before(status, step)) return;
    const int octants_x = (box->cells[0] + 1) / 2, octants_y = (box->cells[1] + 1) / 2;
    const int id = get_group_id(0);
    int3 low; // no %: the remainder is what the quotient leaves
    low.z = id / (octants_x * octants_y);
    low.y = (id - low.z * octants_x * octants_y) / octants_x;
    low.x = id - (low.z * octants_y + low.y) * octants_x;
    low *= 2;
    const int3 high = min(low + 1, (int3)(box->cells[0], box->cells[1], box->cells[2]) - 1);
    uint begin = 0xffffffffu, end = 0;
    for (int cz = low.z; cz <= high.z; cz++)
        for (int cy = low.y; cy <= high.y; cy++)
            for (int cx = low.x; cx <= high.x; cx++) {
                const uint2 atoms = vload2((cz * box->cells[1] + cy) * box->cells[0] + cx, range);
                if (atoms.x == atoms.y) continue;
                begin = min(begin, atoms.x); // contiguous, as the curve visits octants whole
                end = max(end, atoms.y);
            }
    begin = max(begin, first);
    end = min(end, first + n);
    if (begin >= end) return;
    for (uint i = begin; i < end; i++) neighbors[i] = 0;

    const int3 from = (int3)(lowest(low.x - box->stencil[0], 0, box), lowest(low.y - box->stencil[1], 1, box),
                             lowest(low.z - box->stencil[2], 2, box));
    const int3 to = (int3)(highest(high.x + box->stencil[0], 0, box), highest(high.y + box->stencil[1], 1, box),
                           highest(high.z + box->stencil[2], 2, box));
    uint candidates = 0;
    for (int cz = from.z; cz <= to.z; cz++)
        for (int cy = from.y; cy <= to.y; cy++)
            for (int cx = from.x; cx <= to.x; cx++) {
                const uint2 atoms = atoms_of((int3)(cx, cy, cz), range, box, stride);
                for (uint k = atoms.x; k < atoms.y; k++) {
                    const staged other = position[k];
                    x[candidates] = other.x;
                    y[candidates] = other.y;
                    z[candidates] = other.z;
                    type[candidates] = staged_type(other);
                    j[candidates] = k;
                    if (++candidates < BATCH) continue;
                    test_batch(x, y, z, type, j, BATCH, position, box, reach, list, neighbors, first, begin, end, rows);
                    candidates = 0;
                }
            }
    for (uint k = candidates; (k & (VW - 1)) != 0; k++) { // the rest of the last vector is defined
        x[k] = y[k] = z[k] = 0;
        type[k] = 1;
        j[k] = 0;
    }
    test_batch(x, y, z, type, j, candidates, position, box, reach, list, neighbors, first, begin, end, rows);

    const uint capacity = rows * VW;
    for (uint i = begin; i < end; i++) {
        const uint count = neighbors[i];
        if (count > capacity) {
            neighbors[i] = capacity;
            atomic_max(&status[STATUS_LONGEST], count);
            halt(status, step);
            continue;
        }
        __global uint *entries = list + list_begin(i - first, rows);
        const uint dummy = dummy_for(position[i], dummies, box);
        for (uint k = count; (k & (VW - 1)) != 0; k++) entries[k] = dummy;
    }
}
#endif
