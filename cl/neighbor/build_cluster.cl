// The list builder of CPUs (after stencil.cl), where a work-item has vectors and a cache to itself. It takes an octant, two cells
// per axis, gathers the atoms of the cells around it, and tests VW of them at a time against each atom of the octant.

#define BATCH 1024u // private arrays: PoCL 3.1 reads wrong values through pointers to local ones

// Where a candidate is: relative to the middle of the octant, in DOUBLE as staged.
static inline real3 spot(staged a, staged center, __constant const Box *box) {
#ifdef DOUBLE
    return a.xyz;
#else
    return displacement(a, center, box);
#endif
}

// Where cutoffs differ, vectors of candidates that are too far from a cluster for the cutoffs of their types are skipped.
#if CLUSTER > 1 && REACHES > 1 && TYPES <= 32
#define SKIPS_FAR
// The bounding boxes of vectors of candidates, relative to the middle of the octant, and a bit for each type that is there.
typedef struct {
    real low[3][BATCH / VW + VW], high[3][BATCH / VW + VW];
    uint types[BATCH / VW];
} Bounds;
#define BOUNDS_PARAMETER , Bounds *bounds
#define BOUNDS_PASSED , &bounds
#else
#define BOUNDS_PARAMETER
#define BOUNDS_PASSED
#endif

// Looks up where the candidates are, and fills up the last vector.
#define GATHER_BATCH(candidates) gather_batch(x, y, z, type, j, candidates, center, position, box BOUNDS_PASSED)
BODY void gather_batch(real *at_x, real *at_y, real *at_z, uint *type, uint *place, uint candidates,
                                staged center, __global const staged *position, __constant const Box *box BOUNDS_PARAMETER) {
    const uint whole = (candidates + VW - 1) / VW * VW;
    for (uint k = candidates; k < whole; k++) place[k] = place[0];
#ifndef DOUBLE
    const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
    const real mx = box->unit_rest[0], my = box->unit_rest[1], mz = box->unit_rest[2];
    SHEAR_OF(box)
#endif
    for (uint k = 0; k < whole; k += VW) {
        const uintv j = LOADV(place + k);
        LOAD_POSITIONS(OF_VECTOR)
#ifdef DOUBLE
        const realv dx = x, dy = y, dz = z;
#else
        realv dx = SEPARATION(x, center.x, ux, mx), dy = SEPARATION(y, center.y, uy, my);
        const realv dz = SEPARATION(z, center.z, uz, mz);
        SHEAR(realv, dx, dy, dz)
#endif
        STOREV(dx, at_x + k);
        STOREV(dy, at_y + k);
        STOREV(dz, at_z + k);
#if REACHES > 1
        STOREV(convert_uintv(w), type + k);
#endif
#ifdef SKIPS_FAR
#ifdef DOUBLE
#define FROM_CENTER(t) displacement(position[place[t]], center, box)
#else
#define FROM_CENTER(t) (real3)(at_x[t], at_y[t], at_z[t])
#endif
        real3 low = FROM_CENTER(k), high = low;
        uint types = 0;
        for (uint t = 0; t < VW; t++) {
            const real3 d = FROM_CENTER(k + t);
            low = min(low, d);
            high = max(high, d);
            types |= 1u << (type[k + t] - 1);
        }
        bounds->low[0][k / VW] = low.x, bounds->low[1][k / VW] = low.y, bounds->low[2][k / VW] = low.z;
        bounds->high[0][k / VW] = high.x, bounds->high[1][k / VW] = high.y, bounds->high[2][k / VW] = high.z;
        bounds->types[k / VW] = types;
#endif
    }
}

// Squared distances to VW candidates.
static inline realv squares(real3 me, realv x, realv y, realv z, __constant const Box *box) {
#ifdef DOUBLE
    SHEAR_OF(box)
    realv dx = SEPARATION(me.x, x, box->unit[0], box->unit_rest[0]);
    realv dy = SEPARATION(me.y, y, box->unit[1], box->unit_rest[1]);
    const realv dz = SEPARATION(me.z, z, box->unit[2], box->unit_rest[2]);
    SHEAR(realv, dx, dy, dz)
#else
    const realv dx = me.x - x, dy = me.y - y, dz = me.z - z;
#endif
    return FMA(dz, dz, FMA(dy, dy, dx * dx));
}

// Squares of the list cutoffs of an atom of type `mine` and VW candidates.
#if REACHES > 4
#define LIMITS(mine, base) \
    real limits[VW]; \
    for (uint k_ = 0; k_ < VW; k_++) limits[k_] = reach[((mine) - 1) * TYPES + type[(base) + k_] - 1]; \
    const realv limit = LOADV(limits);
#elif REACHES > 1
// Chosen among those of the atom's type: a look-up for each candidate would cost a load.
#define LIMITS(mine, base) \
    const uintv theirs_ = LOADV(type + (base)); \
    realv limit = reach[((mine) - 1) * TYPES]; \
    for (uint kind_ = 1; kind_ < TYPES; kind_++) \
        limit = convert_maskv(theirs_ == (uintv)(kind_ + 1)) ? (realv)(reach[((mine) - 1) * TYPES + kind_]) : limit;
#else
#define LIMITS(mine, base) const realv limit = (realv)(REACH);
#endif

#if CLUSTER > 1

// The atoms of a cluster.
typedef struct {
    real3 at[CLUSTER];
    uint type[CLUSTER];
    uint held; // so many there are
} Cluster;

static inline Cluster cluster_of(uint c, uint end, staged center, __global const staged *position,
                                 __constant const Box *box) {
    Cluster all;
    all.held = min((uint)CLUSTER, end - c);
    for (uint k = 0; k < CLUSTER; k++) {
        const staged a = position[min(c + k, end - 1)];
        all.at[k] = spot(a, center, box);
        all.type[k] = staged_type(a);
    }
    return all;
}

// For VW candidates a bit for every atom of the cluster that they are near to.
ALWAYS_INLINE uintv near_to(const Cluster *cluster, realv x, realv y, realv z, const uint *type,
                            __global const real *reach, __constant const Box *box) {
    uintv near = 0;
SHORT_LOOP
    for (uint k = 0; k < CLUSTER; k++) {
        LIMITS(cluster->type[k], 0)
        near |= convert_uintv(squares(cluster->at[k], x, y, z, box) <= limit) & (1u << (PLACE_BITS + k));
    }
    return near & (((1u << cluster->held) - 1) << PLACE_BITS);
}

#ifdef SKIPS_FAR
// Leaves the squares of the distances from a cluster's bounding box to those of vectors of candidates, up to a multiple of VW. In DOUBLE pairs are tested by positions that are rounded otherwise.
static inline void gaps_of(real *gaps, uint vectors, const Bounds *bounds, uint c, uint end, staged center,
                           __global const staged *position, __constant const Box *box) {
    real3 low = displacement(position[c], center, box), high = low;
    for (uint k = 1; k < CLUSTER; k++) {
        const real3 d = displacement(position[min(c + k, end - 1)], center, box);
        low = min(low, d);
        high = max(high, d);
    }
    const real from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    for (uint q = 0; q < vectors; q += VW) {
        realv sum = 0;
SHORT_LOOP
        for (uint d = 0; d < 3; d++) {
            const realv gap = max(max(LOADV(bounds->low[d] + q) - to[d], from[d] - LOADV(bounds->high[d] + q)), (realv)(0));
            sum = FMA(gap, gap, sum);
        }
#ifdef DOUBLE
        sum *= 1 - 1e-9;
#endif
        STOREV(sum, gaps + q);
    }
}

// Leaves the largest square of a list cutoff of the cluster's atoms with each type.
static inline void longest_squares_of(real *longest_squares, const Cluster *cluster, __global const real *reach) {
    for (uint kind = 0; kind < TYPES; kind++) {
        longest_squares[kind] = reach[(cluster->type[0] - 1) * TYPES + kind];
        for (uint k = 1; k < CLUSTER; k++) longest_squares[kind] = max(longest_squares[kind], reach[(cluster->type[k] - 1) * TYPES + kind]);
    }
}

// Whether all candidates of these types, so far away or farther, are beyond their cutoffs.
static inline bool beyond(real gap, uint types, const real *longest_squares) {
    for (; types; types &= types - 1)
        if (gap <= longest_squares[31 - clz(types & -types)]) return false;
    return true;
}
#endif

// Takes the bits of pairs that are left out from an entry of the cluster of atoms from c on.
static inline uint without_left_out(uint entry, uint c, uint held EXCLUDE_TAKEN) {
#ifdef EXCLUDE
    for (uint t = 0; t < held; t++) {
        const uint bit = 1u << (PLACE_BITS + t);
        if ((entry & bit) && !included(c + t, entry & PLACE_MASK EXCLUDE_PASSED)) entry &= ~bit;
    }
#endif
    return entry;
}

// Appends to the lists of the clusters of atoms [begin, end) what lies near among the candidates, except their own atoms.
#define TEST_BATCH(candidates) \
    test_batch(x, y, z, type, j, candidates, center, position, box, reach, rows_begin, begin, end, rows BOUNDS_PASSED EXCLUDE_PASSED)
BODY void test_batch(const real *x, const real *y, const real *z, const uint *type, const uint *j,
                              uint candidates, staged center, __global const staged *position,
                              __constant const Box *box, __global const real *reach, __global uint *row, uint begin,
                              uint end, uint rows BOUNDS_PARAMETER EXCLUDE_TAKEN) {
    const uint capacity = (rows - 1) * WORDS;
    uint found[BATCH];
    for (uint c = begin; c < end; c += CLUSTER, row += (size_t)rows * WORDS) {
        const Cluster cluster = cluster_of(c, end, center, position, box);
        // All tests, then all appends: words out of vectors would cost two instructions each.
        uint whole = 0;
#ifdef SKIPS_FAR
        real gaps[BATCH / VW + VW], longest_squares[TYPES];
        gaps_of(gaps, (candidates + VW - 1) / VW, bounds, c, end, center, position, box);
        longest_squares_of(longest_squares, &cluster, reach);
#endif
        for (uint base = 0; base < candidates; base += VW) {
#ifdef SKIPS_FAR
            if (beyond(gaps[base / VW], bounds->types[base / VW], longest_squares)) continue;
#endif
            const uintv other = LOADV(j + base);
            const realv ox = LOADV(x + base), oy = LOADV(y + base), oz = LOADV(z + base);
            const uintv near = near_to(&cluster, ox, oy, oz, type + base, reach, box);
            STOREV((other - c < (uintv)(cluster.held) ? (uintv)(0) : near) | other, found + whole);
            for (uint k = candidates - base; k < VW; k++) found[whole + k] = 0;
            whole += VW;
        }
        __global uint *entries = row + WORDS;
        const uint before = *row;
        uint count = before;
        for (uint base = 0; base < whole; base += VW) {
            if (!BRANCHES && count + VW <= capacity) {
SHORT_LOOP
                for (uint k = base; k < base + VW; k++) { // no branch: a miss is overwritten by the next hit
                    entries[count] = found[k];
                    count += found[k] >> PLACE_BITS != 0;
                }
            } else {
                for (uint k = base; k < base + VW; k++) {
                    if (!(found[k] >> PLACE_BITS)) continue;
                    if (count < capacity) entries[count] = found[k];
                    count++;
                }
            }
        }
#ifdef EXCLUDE
        // Of those found only, which are few of the candidates. A list that is too long is not to look as if it were not.
        if (count <= capacity) {
            const uint found_end = count;
            count = before;
            for (uint k = before; k < found_end; k++) {
                const uint entry = without_left_out(entries[k], c, cluster.held EXCLUDE_PASSED);
                if (entry >> PLACE_BITS) entries[count++] = entry;
            }
        }
#endif
        *row = count;
    }
}

// Ends the lists of the clusters of atoms [begin, end) with their own atoms, and moves them together. Returns what the
// longest wants, where there is no room for it, else 0.
BODY uint finish_lists(staged center, __global const staged *position, __constant const Box *box,
                                __global const real *reach, __global uint *row, uint begin, uint end,
                                uint rows EXCLUDE_TAKEN) {
    const uint capacity = (rows - 1) * WORDS;
    uint longest = 0;
    __global uint *to = row;
    for (uint c = begin; c < end; c += CLUSTER, row += (size_t)rows * WORDS) {
        const Cluster cluster = cluster_of(c, end, center, position, box);
        const real3 *at = cluster.at;
        const realv x = (realv)(FILLED((real4)(at[0].x, at[1].x, at[2].x, at[3].x)));
        const realv y = (realv)(FILLED((real4)(at[0].y, at[1].y, at[2].y, at[3].y)));
        const realv z = (realv)(FILLED((real4)(at[0].z, at[1].z, at[2].z, at[3].z)));
        uint type[VW], found[VW];
        for (uint k = 0; k < VW; k++) type[k] = cluster.type[MODULO(k, CLUSTER)];
        STOREV(near_to(&cluster, x, y, z, type, reach, box), found);
        for (uint k = 0; k < cluster.held; k++) {
            const uint others_near = (found[k] & ~(1u << (PLACE_BITS + k))) | (c + k);
            found[k] = without_left_out(others_near, c, cluster.held EXCLUDE_PASSED);
        }
        const uint others = *row, count = others + cluster.held, chunks = (count + WORDS - 1) / WORDS;
        if (chunks * WORDS > capacity) {
            longest = max(longest, count);
            *to = 0;
            to += WORDS;
            continue;
        }
        if (to != row)
            for (uint k = WORDS; k < WORDS + others; k += WORDS) COPY_ENTRIES(row + k, to + k)
        for (uint k = others; k < chunks * WORDS; k++)
            to[WORDS + k] = k < count ? found[k - others] : c; // padding is in no atom's list
        *to = count;
        to += (1 + chunks) * WORDS;
    }
    return longest;
}

#else

// Appends to the lists of atoms [begin, end) what lies near enough among the candidates.
#define TEST_BATCH(candidates) \
    test_batch(x, y, z, type, j, candidates, center, position, box, reach, list, neighbors, first, begin, end, rows \
               EXCLUDE_PASSED)
BODY void test_batch(const real *x, const real *y, const real *z, const uint *type, const uint *j,
                              uint candidates, staged center, __global const staged *position,
                              __constant const Box *box, __global const real *reach, __global uint *list,
                              __global uint *neighbors, uint first, uint begin, uint end, uint rows EXCLUDE_TAKEN) {
    const uint capacity = rows * VW;
    for (uint i = begin; i < end; i++) {
#ifdef NO_TEMPORARIES
#define me spot(position[i], center, box)
#else
        const real3 me = spot(position[i], center, box);
#endif
        const uint mine = staged_type(position[i]);
        __global uint *entries = list + list_begin(i - first, rows);
        uint count = neighbors[i];
        for (uint base = 0; base < candidates; base += VW) {
            LIMITS(mine, base)
            const maskv hit = squares(me, LOADV(x + base), LOADV(y + base), LOADV(z + base), box) <= limit;
            if (!ANY(hit)) continue;
            MASK hits[VW];
            STOREV(hit, hits);
            const uint valid = min((uint)VW, candidates - base);
            if (!BRANCHES && valid == VW && count + VW <= capacity) {
SHORT_LOOP
                for (uint k = 0; k < VW; k++) { // no branch: a miss is overwritten by the next hit
                    entries[count] = j[base + k];
                    count += hits[k] != 0 && j[base + k] != i && INCLUDED(j[base + k]);
                }
            } else {
                for (uint k = 0; k < valid; k++) {
                    if (hits[k] != 0 && j[base + k] != i && INCLUDED(j[base + k])) {
                        if (count < capacity) entries[count] = j[base + k];
                        count++;
                    }
                }
            }
        }
        neighbors[i] = count;
    }
#undef me
}
#endif

// `blocks` has, for each octant in the order of the curve, its number among the octants; the builder puts its first atom
// and the one behind its last before it.
BODY void list_of_octant(uint octant, __global const staged *restrict position, __global const uint *restrict range,
                         __constant const Box *box, __global const real *restrict reach, __global uint *restrict list,
                         __global uint *restrict neighbors, __global uint *restrict blocks, __global uint *restrict status,
                         uint step, uint first, uint n, uint rows, uint stride, uint dummies EXCLUDE_ARGUMENTS) {
    real x[BATCH], y[BATCH], z[BATCH];
    uint type[BATCH], j[BATCH + 7];
#ifdef SKIPS_FAR
    Bounds bounds = {{{0}}};
#endif
    const int octants_x = (box->cells[0] + 1) / 2, octants_y = (box->cells[1] + 1) / 2;
    const int3 low = place_of(blocks[4 * octant + 2], octants_x, octants_y) * 2;
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
    vstore2((uint2)(begin, end), 2 * octant, blocks);
    begin = max(begin, first);
    end = min(end, first + n);
    if (begin >= end) return;
#if CLUSTER > 1
    __global uint *rows_begin = list + list_begin(cluster_slot(begin, first, octant), rows);
    for (uint c = begin; c < end; c += CLUSTER) rows_begin[(c - begin) / CLUSTER * (size_t)rows * WORDS] = 0;
#else
    for (uint i = begin; i < end; i++) neighbors[i] = 0;
#endif
    // As on GPUs, so that no image but the nearest is within a half of the modulus.
    master3 middle = (master3)(box->lo[0], box->lo[1], box->lo[2]);
    middle += convert_master3(convert_accum3(low + high + 1) / 2 /
                              (accum3)(box->inverse_cell[0], box->inverse_cell[1], box->inverse_cell[2]));
    const staged center = stage(middle, 0, box);

    const int3 from = (int3)(lowest(low.x - box->stencil[0], 0, box), lowest(low.y - box->stencil[1], 1, box),
                             lowest(low.z - box->stencil[2], 2, box));
    const int3 to = (int3)(highest(high.x + box->stencil[0], 0, box), highest(high.y + box->stencil[1], 1, box),
                           highest(high.z + box->stencil[2], 2, box));
    uint candidates = 0;
    FOR_CELLS(from, to) {
        uint2 atoms = ATOMS_HERE;
        for (;;) {
            const uint some = min(atoms.y - atoms.x, BATCH - candidates);
            uint k = 0;
            // Eight at a time, whether there are as many or not: few cells need a second turn.
            do {
                vstore8(atoms.x + k + (uint8)(0, 1, 2, 3, 4, 5, 6, 7), 0, j + candidates + k);
                k += 8;
            } while (k < some);
            candidates += some;
            if (candidates < BATCH) break;
            atoms.x += some;
            GATHER_BATCH(BATCH);
            TEST_BATCH(BATCH);
            candidates = 0;
        }
    }
    GATHER_BATCH(candidates);
    TEST_BATCH(candidates);

#if CLUSTER > 1
    const uint longest = finish_lists(center, position, box, reach, rows_begin, begin, end, rows EXCLUDE_PASSED);
    if (longest > 0) {
        atomic_max(&status[STATUS_LONGEST], longest);
        halt(status, step);
    }
#else
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
        for (uint k = count; MODULO(k, VW) != 0; k++) entries[k] = dummy;
    }
#endif
}
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void build_list(__global const staged *restrict position, __global const uint *restrict range,
                __global const uint *restrict home, __constant const Box *box, __global const real *restrict reach,
                __global uint *restrict list, __global uint *restrict neighbors, __global uint *restrict blocks,
                __global staged *restrict centers, __global uint *restrict tiles, __global uint *restrict status,
                uint step, uint first, uint n, uint rows, uint stride, uint dummies, uint tile_room, uint tile_parts
                EXCLUDE_ARGUMENTS) {
    if (passed_over(status, &step)) return;
    list_of_octant(get_group_id(0), position, range, box, reach, list, neighbors, blocks, status, step, first, n, rows, stride,
                   dummies EXCLUDE_NAMES);
}
