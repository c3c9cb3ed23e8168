// Lists of long pairs (after stencil.cl and long_layout.cl): those of types whose list cutoff is much longer than what cells and the other
// lists are made for, as of a few large particles among many small ones (src/engine/neighbor/long_pairs.rs). Atoms of some types own rows:
// a row has all atoms that form long pairs with its owner, and a work-group makes it. The other atom of a pair, where it owns none, keeps
// the places of owners near it. The order of a row is that of cells around its owner, the order of owners near an atom that of their
// places, so no order depends on chance.
// On CPUs a work-item makes a row by itself, and tests atoms of all cells in whole vectors.
// The kernels have these numbers:
//   limits       (cutoff + skin)^2 per ordered pair of types, negative for pairs that are not long.
//   reaches      Per type, the longest cutoff + skin of its long pairs if its atoms own rows, else 0. Behind these, the longest of pairs whose other
//                atoms own none.

#define FEW_OWNERS 4096 // up to so many are all tested with one another, as cells around them would be more

static inline int owns_row(staged a, __global const real *reaches) {
    return reaches[staged_type(a) - 1] > 0;
}

__kernel void begin_long(__global uint *restrict counts, __global const uint *restrict status, uint step) {
    if (passed_over(status, &step)) return;
    counts[COUNT_OWNERS] = counts[COUNT_ENTRIES] = counts[COUNT_NEAR] = 0;
}

__kernel void find_owners(__global const staged *restrict position, __global const real *restrict reaches,
                          __global uint *restrict owners, __global uint *restrict held, __global uint *restrict counts,
                          __global uint *restrict status, uint step, uint owner_room, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || passed_over(status, &step)) return;
    const int owns = owns_row(position[i], reaches);
    held[i] = owns ? OWNS_ROW : 0;
    if (!owns) return;
    const uint row = atomic_inc(&counts[COUNT_OWNERS]);
    if (row < owner_room) owners[row] = i;
    else halt(status, step);
}

// Puts the owners in order, where they are few.
__kernel void order_owners(__global const uint *restrict found, __global uint *restrict owners, __global const uint *restrict counts,
                           __global const uint *restrict status, uint step, uint owner_room) {
    const uint k = get_global_id(0);
    if (k >= owner_room || passed_over(status, &step)) return;
    const uint all = min(counts[COUNT_OWNERS], owner_room);
    if (k >= all) return;
    const uint mine = found[k];
    uint rank = all <= FEW_OWNERS ? 0 : k;
    if (all <= FEW_OWNERS)
        for (uint other = 0; other < all; other++) rank += found[other] < mine;
    owners[rank] = mine;
}

// Cells per distance along the axes.
static inline real3 cells_per_length(__constant const Box *box) {
    const accum3 per_master = (accum3)(box->inverse_cell[0], box->inverse_cell[1], box->inverse_cell[2]);
#ifdef SINGLE
    return per_master * (float3)(MASTER_PER_LENGTH);
#else
    return convert_real3(per_master);
#endif
}

// Whether no atom of a cell so many cells away is within a distance of one here.
static inline int out_of_reach(int3 away, real3 per_length, real reach) {
#ifdef TRICLINIC
    return 0;
#else
    const real3 least = convert_real3(max(max(away, -away) - 1, 0)) / per_length;
    return square(least) > reach * reach * NUMBER(1.00001);
#endif
}

// Where an atom has another one's copy of the box: as which copy that one has its own.
static inline uint opposite(uint copy, __constant const Box *box) {
    if (copy == 0) return 0;
    const uint rx = box->replicas[0], ry = box->replicas[1], rz = box->replicas[2];
    const uint y = copy / rx, z = y / ry;
    return ((rz - z) % rz * ry + (ry - (y - z * ry)) % ry) * rx + (rx - (copy - y * rx)) % rx;
}

// How many cells apart two are along an axis, by the shorter way.
static inline int cells_between(int a, int b, int axis, __constant const Box *box) {
    const int apart = max(a - b, b - a), around = box->total[axis] - apart;
    return box->images[axis] ? min(apart, max(around, -around)) : apart;
}

// Whether an image may be within so many cells of one: farther away its staged position could pass for another one.
static inline int is_within(uint j, int3 at, int3 span, __global const uint *home, __constant const Box *box, uint stride) {
    const uint copy = j / stride;
    const int3 cell = place_of(home[LEFT_BY(j, copy, stride)], box->cells[0], box->cells[1]) +
                      place_of(copy, box->replicas[0], box->replicas[1]) * (int3)(box->cells[0], box->cells[1], box->cells[2]);
    return cells_between(at.x, cell.x, 0, box) <= span.x && cells_between(at.y, cell.y, 1, box) <= span.y &&
           cells_between(at.z, cell.z, 2, box) <= span.z;
}

#if LONG_LOCAL == 1
#define TESTS 32u // places that are tested at a time, VW in each vector
#if VW == 1
#define TOGETHER(bits) (bits)
#else
#define TOGETHER(bits) FOLD(bits, |)
#endif

// A bit for each of up to TESTS places whose atom is as near to one as the limit of its type allows.
ALWAYS_INLINE uint near_places(staged me, const uint *places, uint count, const real *limits_of_types,
                               __global const staged *position, __constant const Box *box) {
    SHEAR_OF(box)
    uint near = 0;
    for (uint base = 0; base < count; base += VW) {
        const uintv j = LOADV(places + base);
        LOAD_POSITIONS(OF_VECTOR)
        realv dx = SEPARATION(me.x, x, box->unit[0], box->unit_rest[0]);
        realv dy = SEPARATION(me.y, y, box->unit[1], box->unit_rest[1]);
        const realv dz = SEPARATION(me.z, z, box->unit[2], box->unit_rest[2]);
        SHEAR(realv, dx, dy, dz)
        real limits[VW];
        uint types[VW];
        STOREV(convert_uintv(w), types);
        for (uint k = 0; k < VW; k++) limits[k] = limits_of_types[types[k] - 1];
        const uintv bits = convert_uintv(FMA(dz, dz, FMA(dy, dy, dx * dx)) <= LOADV(limits)) & ((uintv)(1) << FROM_0);
        near |= TOGETHER(bits) << base;
    }
    return count < TESTS ? near & ((1u << count) - 1) : near;
}
// Stands before a block for each of these, whose place is j.
#define FOR_NEAR(count, limits_of_types) \
    for (uint near_ = near_places(me, places, count, limits_of_types, position, box), j; \
         near_ != 0 && (j = places[31 - clz(near_ & -near_)], 1); near_ &= near_ - 1)
// Looks up the places of up to TESTS owners, in the copy of the box that begins at `offset`; says how many they are.
static inline uint places_of(uint *places, __global const uint *owners, uint left, uint offset) {
    const uint some = min(left, TESTS);
    for (uint k = 0; k < some; k++) places[k] = owners[k] + offset;
    return some;
}
// Stands before a block for each TESTS of the owners in all copies of the box.
#define FOR_OWNERS(some) \
    for (uint copy_ = 0; copy_ < copies; copy_++) \
        for (uint first_ = 0, some; first_ < all_owners && (some = places_of(places, owners + first_, all_owners - first_, copy_ * stride), 1); \
             first_ += TESTS)
// Appends atom j to the row, and has it keep the owner of the row.
#define LIST_PAIR { \
        if (j == i || !INCLUDED(j)) continue; \
        entries[begin + listed++] = j; \
        if (!few && owns_row(position[j], reaches)) continue; \
        const uint copy = j / stride, other = LEFT_BY(j, copy, stride), k = atomic_inc(&held[other]); \
        if (k < near_room) near_owners[NEAR_OWNER(other, k)] = i + opposite(copy, box) * stride; \
    }
#else
// `before` becomes the sum of what the work-items before this one have, `total` that of all; for the whole group. (PoCL 3.1 does not compile a
// function for it.)
#define SUM_BEFORE(value, before, total) { \
    const uint own_ = (value); \
    uint side_ = 0; \
    barrier(CLK_LOCAL_MEM_FENCE); /* the sums before have been read */ \
    sums[lid] = own_; \
    barrier(CLK_LOCAL_MEM_FENCE); \
    for (uint back_ = 1; back_ < LONG_LOCAL; back_ <<= 1) { \
        const uint earlier_ = lid >= back_ ? sums[side_ * LONG_LOCAL + lid - back_] : 0; \
        sums[(1 - side_) * LONG_LOCAL + lid] = sums[side_ * LONG_LOCAL + lid] + earlier_; \
        side_ = 1 - side_; \
        barrier(CLK_LOCAL_MEM_FENCE); \
    } \
    total = sums[side_ * LONG_LOCAL + LONG_LOCAL - 1]; \
    before = sums[side_ * LONG_LOCAL + lid] - own_; \
}

// Whether atom j, or the image that j names, is within the list cutoff of a long pair with atom i.
static inline int is_long_pair(uint i, uint j, __global const staged *position, __global const real *limits,
                               __constant const Box *box EXCLUDE_TAKEN) {
    const staged me = position[i], other = position[j];
    const real limit = limits[(staged_type(me) - 1) * TYPES + staged_type(other) - 1];
    return square(displacement(me, other, box)) <= limit && j != i && INCLUDED(j);
}
// The owners in all copies of the box, by number.
#define OWNER_IMAGE(k) (owners[LEFT_BY(k, (k) / all_owners, all_owners)] + (k) / all_owners * stride)
#define IS_OWNERS_PAIR(j) (is_within(j, at, span_to_owners, home, box, stride) && is_long_pair(i, j, position, limits, box EXCLUDE_PASSED))
#endif

__kernel __attribute__((reqd_work_group_size(LONG_LOCAL, 1, 1)))
void list_long_pairs(__global const staged *restrict position, __global const uint *restrict range,
                     __global const uint *restrict home, __constant const Box *box, __global const real *restrict limits,
                     __global const real *restrict reaches, __global const uint *restrict owners, __global uint *restrict rows,
                     __global uint *restrict entries, __global uint *restrict held, __global uint *restrict near_owners,
                     __global uint *restrict counts, __global uint *restrict status, uint step, real stretch_x, real stretch_y,
                     real stretch_z, uint owner_room, uint entry_room, uint near_room, uint stride EXCLUDE_ARGUMENTS) {
#if LONG_LOCAL > 1
    __local uint sums[2 * LONG_LOCAL];
    __local uint shared;
#endif
    const uint row = get_group_id(0);
    if (passed_over(status, &step)) return;
    const uint all_owners = min(counts[COUNT_OWNERS], owner_room);
    if (row >= all_owners) return; // for the whole group
    const int few = all_owners <= FEW_OWNERS;
    const uint i = owners[row];
    const uint type = staged_type(position[i]);
    const real reach = reaches[few ? TYPES + type - 1 : type - 1];
    const real3 per_length = cells_per_length(box);
    const int3 at = place_of(home[i], box->cells[0], box->cells[1]);
    const real3 cells_reached = NUMBER(1.00001) * (real3)(stretch_x, stretch_y, stretch_z) * per_length;
    const int3 span = convert_int3(ceil(reach * cells_reached)), span_to_owners = convert_int3(ceil(reaches[type - 1] * cells_reached));
    const int3 from = (int3)(lowest(at.x - span.x, 0, box), lowest(at.y - span.y, 1, box), lowest(at.z - span.z, 2, box));
    const int3 to = (int3)(highest(at.x + span.x, 0, box), highest(at.y + span.y, 1, box), highest(at.z + span.z, 2, box));
    const uint copies = few ? box->replicas[0] * box->replicas[1] * box->replicas[2] : 0; // in which owners are tested by themselves

#if LONG_LOCAL == 1
    const staged me = position[i];
    real to_others[TYPES], to_owners[TYPES];
    for (uint kind = 0; kind < TYPES; kind++) {
        const real limit = limits[(type - 1) * TYPES + kind];
        to_others[kind] = few && reaches[kind] > 0 ? -1 : limit;
        to_owners[kind] = limit;
    }
    uint places[TESTS + VW]; // whole vectors of them are read
    for (uint k = 0; k < TESTS + VW; k++) places[k] = i;

    // Room for all candidates, which are somewhat more than what the row will have.
    uint candidates = 0;
    FOR_CELLS(from, to) {
        if (out_of_reach(CELL_HERE - at, per_length, reach)) continue;
        const uint2 atoms = ATOMS_HERE;
        candidates += atoms.y - atoms.x;
    }
    FOR_OWNERS(some) candidates += popcount(near_places(me, places, some, to_owners, position, box));
    const uint room = (candidates + LONG_VECTOR - 1) / LONG_VECTOR * LONG_VECTOR;
    const uint begin = atomic_add(&counts[COUNT_ENTRIES], room);
    if (begin + room > entry_room) {
        halt(status, step);
        return;
    }

    uint listed = 0, waiting = 0;
    FOR_CELLS(from, to) {
        if (out_of_reach(CELL_HERE - at, per_length, reach)) continue;
        uint2 atoms = ATOMS_HERE;
        while (atoms.x < atoms.y) {
            const uint some = min(atoms.y - atoms.x, TESTS - waiting);
            for (uint k = 0; k < some; k += VW) STOREV(atoms.x + k + FROM_0, places + waiting + k);
            atoms.x += some;
            waiting += some;
            if (waiting < TESTS) break;
            FOR_NEAR(TESTS, to_others) LIST_PAIR
            waiting = 0;
        }
    }
    STOREV((uintv)(i), places + waiting); // whole vectors are read
    FOR_NEAR(waiting, to_others) LIST_PAIR
    FOR_OWNERS(some) FOR_NEAR(some, to_owners)
        if (j != i && INCLUDED(j) && is_within(j, at, span_to_owners, home, box, stride)) entries[begin + listed++] = j;
    for (uint k = listed; MODULO(k, LONG_VECTOR) != 0; k++) entries[begin + k] = i;
    vstore2((uint2)(begin, listed), row, rows);
#else
    const uint lid = get_local_id(0);
    const int3 size = to - from + 1;
    const int cells = size.x * size.y * size.z;
    // Room for all candidates, which are somewhat more than what the row will have.
    uint candidates = 0, before, total;
    for (int c = lid; c < cells; c += LONG_LOCAL) {
        const int3 there = from + place_of(c, size.x, size.y);
        if (out_of_reach(there - at, per_length, reach)) continue;
        const uint2 atoms = atoms_of(there, range, box, stride);
        candidates += atoms.y - atoms.x;
    }
    const uint images = all_owners * copies;
    for (uint k = lid; k < images; k += LONG_LOCAL) candidates += IS_OWNERS_PAIR(OWNER_IMAGE(k));
    SUM_BEFORE(candidates, before, total)
    const uint room = (total + LONG_VECTOR - 1) / LONG_VECTOR * LONG_VECTOR;
    if (lid == 0) shared = atomic_add(&counts[COUNT_ENTRIES], room);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint begin = shared;
    if (begin + room > entry_room) {
        if (lid == 0) halt(status, step);
        return;
    }

    // A work-item tests the atoms of one cell, 32 at a time. What is summed up: hits, and above them whether it has more.
    uint count = 0;
    for (int first = 0; first < cells; first += LONG_LOCAL) {
        const int3 there = from + place_of(min(first + (int)lid, cells - 1), size.x, size.y);
        uint2 atoms = 0;
        if (first + (int)lid < cells && !out_of_reach(there - at, per_length, reach)) atoms = atoms_of(there, range, box, stride);
        do {
            const uint tests = min(atoms.y - atoms.x, (uint)32);
            uint hits = 0;
            for (uint t = 0; t < tests; t++) {
                const uint j = atoms.x + t;
                if (!(few && owns_row(position[j], reaches)))
                    hits |= (uint)is_long_pair(i, j, position, limits, box EXCLUDE_PASSED) << t;
            }
            atoms.x += tests;
            SUM_BEFORE(popcount(hits) | (uint)(atoms.x < atoms.y) << 16, before, total)
            uint rank = count + (before & 0xffff);
            count += total & 0xffff;
            for (; hits != 0; hits &= hits - 1, rank++) {
                const uint j = atoms.x - tests + 31 - clz(hits & -hits);
                entries[begin + rank] = j;
                const uint copy = j / stride, other = LEFT_BY(j, copy, stride);
                if (owns_row(position[j], reaches)) continue;
                const uint k = atomic_inc(&held[other]);
                if (k < near_room) near_owners[NEAR_OWNER(other, k)] = i + opposite(copy, box) * stride;
            }
        } while (total >> 16 != 0);
    }
    // The owners, where they are few: all of them, and their images.
    for (uint first = 0; first < images; first += LONG_LOCAL) {
        const uint j = OWNER_IMAGE(min(first + lid, images - 1));
        const uint hit = first + lid < images && IS_OWNERS_PAIR(j);
        SUM_BEFORE(hit, before, total)
        if (hit) entries[begin + count + before] = j;
        count += total;
    }
    for (uint k = count + lid; MODULO(count, LONG_VECTOR) != 0 && k < (count / LONG_VECTOR + 1) * LONG_VECTOR; k += LONG_LOCAL)
        entries[begin + k] = i;
    if (lid == 0) vstore2((uint2)(begin, count), row, rows);
#endif
}

// Puts the owners near each atom in order, and fills up the last vector.
__kernel void order_long_pairs(__global const uint *restrict held, __global uint *restrict near_owners, __global uint *restrict counts,
                               __global uint *restrict status, uint step, uint near_room, uint stride, uint n) {
    const uint i = get_global_id(0);
    if (i >= n || passed_over(status, &step)) return;
    const uint number = held[i];
    if (number == 0 || number == OWNS_ROW) return;
    if (number > near_room) {
        atomic_max(&counts[COUNT_NEAR], number);
        halt(status, step);
        return;
    }
    for (uint k = 1; k < number; k++) {
        const uint owner = near_owners[NEAR_OWNER(i, k)];
        uint to = k;
        for (; to > 0 && near_owners[NEAR_OWNER(i, to - 1)] > owner; to--) near_owners[NEAR_OWNER(i, to)] = near_owners[NEAR_OWNER(i, to - 1)];
        near_owners[NEAR_OWNER(i, to)] = owner;
    }
    for (uint k = number; MODULO(k, LONG_VECTOR) != 0; k++) near_owners[NEAR_OWNER(i, k)] = near_owners[NEAR_OWNER(i, 0)];
}
