// The full neighbour list: for each atom every other atom, or image, with r^2 <= (cutoff + skin)^2 of their
// types at build time. An entry is the place of its staged position.

// With EXCLUDE some pairs are left out: an atom's special neighbours (cl/links.cl), SPECIAL_WIDTH at most, and what
// `neigh_modify exclude` says (EXCLUDED, of two group masks and whether the molecules are the same).
#ifdef EXCLUDE
#define EXCLUDE_ARGUMENTS \
    , __global const uint *restrict special, __global const uint *restrict mask, __global const uint *restrict molecule
#define EXCLUDE_PASSED , special, mask, molecule, stride
#define EXCLUDE_TAKEN \
    , __global const uint *special, __global const uint *mask, __global const uint *molecule, uint stride
#define INCLUDED(j) included(i, j EXCLUDE_PASSED)
static inline int included(uint i, uint j EXCLUDE_TAKEN) {
    for (uint k = 0; k < SPECIAL_WIDTH; k++) {
        const uint2 link = vload2((size_t)k * stride + i, special);
        if (link.y == 0) break;
        if (link.x == j) return 0;
    }
    const uint home = j % stride;
    return !EXCLUDED(mask[i], mask[home], molecule[i] == molecule[home]);
}
#else
#define EXCLUDE_ARGUMENTS
#define EXCLUDE_PASSED
#define EXCLUDE_TAKEN
#define INCLUDED(j) 1
#endif

// Padding: one of eight dummy positions, the one at least a quarter of the modulus away along each axis.
static inline uint dummy_for(staged a, uint dummies, __constant const Box *box) {
#ifdef DOUBLE
    const double3 to = (double3)(a.x * box->unit_rest[0], a.y * box->unit_rest[1], a.z * box->unit_rest[2]);
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
#ifdef BREAK_REMAINDERS
    at = (at + total) % total;
#else
    CHOOSE(at < 0, at, at + total)
    CHOOSE(at >= total, at, at - total)
#endif
    *copy = 0;
    if (total == cells) return at;
    *copy = at / cells;
    return LEFT_BY(at, *copy, cells);
}

// The place (x, y, z) of a number that counts x fastest, along rows of nx and planes of nx ny.
static inline int3 place_of(int number, int nx, int ny) {
    const int row = number / nx, z = row / ny;
    return (int3)(LEFT_BY(number, row, nx), LEFT_BY(row, z, ny), z);
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

#if BLOCK_EDGE > 0

// GPUs: a work-group takes a block of BLOCK_EDGE^3 cells, whose atoms the curve makes contiguous. The atoms of
// the cells around it that the list cutoff reaches come into local memory, row by row of cells, so that
// every atom's candidates are (2 stencil + 1)^2 runs there. LANES work-items share an atom: each takes the
// candidates whose places there leave a certain remainder, and makes a list of its own.
//
//   CROWD   candidates in local memory at a time
//   AROUND  cells of the block and around it, at most
//   TILE    entries are 16-bit offsets among the candidates, which are kept as the block's tile; else they are
//           places in `position`
#if TILE
#define CANDIDATE(k) tiles[tile + window + (k)]
#else
#define CANDIDATE(k) place[k]
#endif
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define AT_ONCE (LANES > 1 ? 4 : 2) // candidates that are tested at a time
#define HOLDER_WORDS LARGER(LARGER(HOLDER_BYTES / sizeof(uint), 2 * BLOCK_LOCAL), TILE ? CROWD : 0)

// Candidates in local memory are two numbers and one, or with types two and two: reads of four floats at a time wait more for
// one another's banks.
#if TYPES > 1
typedef float2 crowd_rest;
#define WITH_TYPE(z, atom) (float2)(z, (float)staged_type(atom))
#define Z_OF_REST(rest) (rest).x
#define TYPE_OF_REST(rest) (uint)(rest).y
#else
typedef float crowd_rest;
#define WITH_TYPE(z, atom) (z)
#define Z_OF_REST(rest) (rest)
#define TYPE_OF_REST(rest) 1
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK_LOCAL, 1, 1)))
void build_list(__global const staged *restrict position, __global const uint *restrict range,
                __global const uint *restrict home, __constant const Box *box, __global const real *restrict reach,
                __global uint *restrict list, __global uint *restrict neighbors, __global uint *restrict blocks,
                __global staged *restrict centers, __global uint *restrict tiles, __global uint *restrict status,
                uint step, uint first, uint n, uint rows, uint stride, uint dummies, uint tile_room, uint crowds
                EXCLUDE_ARGUMENTS) {
#define PLACE(k) BANKED(k, CROWD + AT_ONCE * LANES)
    __local float2 crowd_xy[BANKED_ROOM(CROWD + AT_ONCE * LANES)];
    __local crowd_rest crowd_z[BANKED_ROOM(CROWD + AT_ONCE * LANES)];
    // Used for one thing after another: prefix sums, with TILE where candidates come from, entries on their way to the list.
    __local uint holder[HOLDER_WORDS];
#define SUMS(side, k) holder[(side) * BLOCK_LOCAL + (k)]
#if TILE
#define place holder
#else
    __local uint place[CROWD]; // where candidates come from
#endif
    __local uint begins[AROUND + 1], source[AROUND]; // where the candidates of each cell begin, here and in `position`
    __local uint shared[2];
    PARKING(uint, parked, BLOCK_LOCAL)
    if (halted_before(status, step)) return;
    const uint lid = get_local_id(0);
    const int across_x = (box->cells[0] + BLOCK_EDGE - 1) / BLOCK_EDGE;
    const int across_y = (box->cells[1] + BLOCK_EDGE - 1) / BLOCK_EDGE;
    const int id = get_group_id(0);
    const int3 low = place_of(id, across_x, across_y) * BLOCK_EDGE;
    const int3 high = min(low + BLOCK_EDGE, (int3)(box->cells[0], box->cells[1], box->cells[2])) - 1;

    // The block's own atoms.
    if (lid == 0) {
        shared[0] = 0xffffffffu;
        shared[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int3 own = high - low + 1;
    for (int c = lid; c < own.x * own.y * own.z; c += BLOCK_LOCAL) {
        const int3 at = low + place_of(c, own.x, own.y);
        const uint2 atoms = vload2((at.z * box->cells[1] + at.y) * box->cells[0] + at.x, range);
        if (atoms.x == atoms.y) continue;
        atomic_min(&shared[0], atoms.x);
        atomic_max(&shared[1], atoms.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint2 all = (uint2)(shared[0], shared[1]);
    const uint begin = max(all.x, first), end = min(all.y, first + n); // as far as this page holds them
#if TILE
    if (lid == 0 && all.x >= all.y) vstore4((uint4)(0), id, blocks);
#endif
    if (begin >= end) return; // for the whole group

    // Candidates per cell, and their prefix sum.
    const int3 from = (int3)(lowest(low.x - box->stencil[0], 0, box), lowest(low.y - box->stencil[1], 1, box),
                             lowest(low.z - box->stencil[2], 2, box));
    const int3 size = (int3)(highest(high.x + box->stencil[0], 0, box), highest(high.y + box->stencil[1], 1, box),
                             highest(high.z + box->stencil[2], 2, box)) - from + 1;
    const int cells = size.x * size.y * size.z;
    for (int c = lid; c < cells; c += BLOCK_LOCAL) {
        const uint2 atoms = atoms_of(from + place_of(c, size.x, size.y), range, box, stride);
        begins[c] = atoms.y - atoms.x;
        source[c] = atoms.x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int each = (cells + BLOCK_LOCAL - 1) / BLOCK_LOCAL;
    const int my_first = lid * each, my_last = min(my_first + each, cells);
    uint sum = 0;
    for (int c = my_first; c < my_last; c++) sum += begins[c];
    uint side = 0;
    SUMS(0, lid) = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint back = 1; back < BLOCK_LOCAL; back <<= 1) {
        SUMS(1 - side, lid) = SUMS(side, lid) + (lid >= back ? SUMS(side, lid - back) : 0);
        side = 1 - side;
        barrier(CLK_LOCAL_MEM_FENCE);
        NEEDLESS_BARRIER
    }
    const uint candidates = SUMS(side, BLOCK_LOCAL - 1);
    uint before = SUMS(side, lid) - sum;
    for (int c = my_first; c < my_last; c++) {
        const uint here = begins[c];
        begins[c] = before;
        before += here;
    }
    if (lid == 0) begins[cells] = candidates;

    // Positions are taken relative to the middle of the block.
    master3 middle = (master3)(box->lo[0], box->lo[1], box->lo[2]);
    middle += convert_master3(convert_accum3(low + high + 1) / 2 /
                              (accum3)(box->inverse_cell[0], box->inverse_cell[1], box->inverse_cell[2]));
    const staged center = stage(middle, 0, box);
    int fits = candidates <= crowds * CROWD;
#if TILE
    if (lid == 0) shared[0] = atomic_add(&status[STATUS_TILES], candidates);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint tile = shared[0];
    fits = fits && tile + candidates <= tile_room;
    if (lid == 0) {
        centers[id] = center;
        vstore4((uint4)(all, tile, candidates), id, blocks);
    }
#endif
    if (!fits) {
        if (lid == 0) {
            atomic_max(&status[STATUS_CROWDS], (candidates + CROWD - 1) / CROWD);
            halt(status, step);
        }
        return;
    }
    const uint capacity = rows * ENTRIES;
#if TYPES > 1
#define LIMIT(type) my_reach[(type) - 1]
#else
#define LIMIT(type) REACH
#endif
#define FLOAT_LIMIT(type) (1.00000012f * (float)LIMIT(type)) // the next float, so that the sign says whether r^2 <= LIMIT
#ifdef DOUBLE
    // Above what rounding can do to r^2, as no coordinate and no reach is longer than the cells around the block.
    const float3 span = convert_float3(size) / (float3)(box->inverse_cell[0], box->inverse_cell[1], box->inverse_cell[2]);
    const float longest = max(max(span.x, span.y), span.z);
    const float slack = 2e-6f * longest * longest;
#endif
    const uint items = (end - begin) * LANES;
    for (uint base = 0; base < items; base += BLOCK_LOCAL) {
        const int active = base + lid < items;
        const uint lane = MODULO(lid, LANES);
        const uint i = begin + (active ? (base + lid) / LANES : 0);
        const uint item = (i - first) * LANES + lane;
        const staged mine = position[i];
#ifdef BREAK_TEMPORARIES
#define me convert_float3(displacement(position[i], center, box))
#else
        const float3 me = convert_float3(displacement(mine, center, box));
#endif
#if TYPES > 1
        __global const real *my_reach = reach + (staged_type(mine) - 1) * TYPES;
#endif
        const int number = home[i];
        const int3 at = place_of(number, box->cells[0], box->cells[1]) - from;
        const int3 least = max(at - (int3)(box->stencil[0], box->stencil[1], box->stencil[2]), (int3)(0));
        const int3 most = min(at + (int3)(box->stencil[0], box->stencil[1], box->stencil[2]), size - 1);
        WAITING_STATE // entries on their way to the list, and those in it
        size_t slot = list_begin(item, rows); // where the next chunk goes
        for (uint window = 0; window < candidates; window += CROWD) {
            const uint held = min((uint)CROWD, candidates - window);
            if (base == 0 || candidates > CROWD) {
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int c = lid; c < cells; c += BLOCK_LOCAL) {
                    const uint last = min(max(begins[c + 1], window) - window, held);
                    for (uint k = max(begins[c], window) - window; k < last; k++)
                        place[k] = source[c] + (k + window - begins[c]);
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                // Four at a time, so that their loads need not wait for one another.
                for (uint first_k = lid; first_k < held; first_k += 4 * BLOCK_LOCAL) {
                    uint j[4];
                    staged others[4];
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        j[t] = place[min(first_k + t * BLOCK_LOCAL, held - 1)];
                        others[t] = position[j[t]];
                    }
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        const uint k = min(first_k + t * BLOCK_LOCAL, held - 1);
                        const float3 d = convert_float3(displacement(others[t], center, box));
                        crowd_xy[PLACE(k)] = d.xy;
                        crowd_z[PLACE(k)] = WITH_TYPE(d.z, others[t]);
#if TILE
                        if (base == 0) tiles[tile + window + k] = j[t];
#endif
                    }
                }
                for (uint k = held + lid; k < held + AT_ONCE * LANES; k += BLOCK_LOCAL) { // tested beyond the last, in vain
                    crowd_xy[PLACE(k)] = 0;
                    crowd_z[PLACE(k)] = 1; // of a type that there is
                }
#if TILE && (defined(DOUBLE) || defined(EXCLUDE))
                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // the tile is read as well
#else
                barrier(CLK_LOCAL_MEM_FENCE);
#endif
            }
            NEEDLESS_BARRIER
            if (!active) continue;
            const uint stored_before = stored;
            const uint self = begins[(at.z * size.y + at.y) * size.x + at.x] + i - range[2 * number] - window;
            FOR_RUNS(least, most, size) {
                const uint last = min(max(begins[RUN_END], window) - window, held);
                uint k = max(begins[RUN], window) - window;
                k += MODULO(lane - k, LANES);
                while (k < last) {
                    // A bit for each of the turn's candidates, the last one's lowest. AT_ONCE are tested together, so some may
                    // be beyond the last.
                    const uint turn = k, tests = min((last - k + LANES - 1) / LANES, (uint)TURN);
                    uint hits = 0;
#ifdef DOUBLE
                    float nearest = slack; // how near to the limit any candidate's r^2 is
#endif
                    for (; k < turn + tests * LANES; k += AT_ONCE * LANES) {
SHORT_LOOP
                        for (uint t = 0; t < AT_ONCE; t++) {
                            const crowd_rest rest = crowd_z[PLACE(k + t * LANES)];
                            const float2 xy = crowd_xy[PLACE(k + t * LANES)];
                            const float3 d = me - (float3)(xy.x, xy.y, Z_OF_REST(rest));
                            const float over = FMA(d.z, d.z, FMA(d.y, d.y, FMA(d.x, d.x, -FLOAT_LIMIT(TYPE_OF_REST(rest)))));
                            hits = hits << 1 | as_uint(over) >> 31;
#ifdef DOUBLE
                            nearest = fmin(nearest, fabs(over));
#endif
                            PARK(parked, hits)
                        }
                    }
                    hits >>= (k - turn) / LANES - tests;
                    k = turn + tests * LANES;
#ifdef DOUBLE
                    if (nearest < slack) {
                        // Some pair is not clearly inside or outside: all of them again, in double precision.
                        hits = 0;
                        for (uint j = turn; j < k; j += LANES) {
                            const staged other = position[CANDIDATE(j)];
                            const double rsq = square(displacement(position[i], center, box) - displacement(other, center, box));
                            hits = hits << 1 | (rsq <= LIMIT(staged_type(other)));
                        }
                    }
#endif
                    if (self - turn < k - turn && MODULO(k - self, LANES) == 0) hits &= ~(1u << ((k - self) / LANES - 1));
                    while (hits != 0) {
                        const uint back = 31 - clz(hits), other = k - (back + 1) * LANES;
                        hits ^= 1u << back;
                        if (INCLUDED(CANDIDATE(other))) HOLD(other)
                    }
                    STORE_URGENT
                }
                STORE_DUE
            }
            // A window's entries fill whole chunks.
            neighbors[((window / CROWD) * stride + i) * LANES + lane] = stored - stored_before + NUMBER_WAITING;
            STORE_REST
        }
        if (!active) continue;
        for (uint part = (candidates + CROWD - 1) / CROWD; part < crowds; part++)
            neighbors[(part * stride + i) * LANES + lane] = 0;
        if (stored > capacity) {
            atomic_max(&status[STATUS_LONGEST], stored * LANES);
            halt(status, step);
        }
    }
}

#endif
