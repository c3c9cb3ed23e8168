// The list builder of GPUs (after stencil.cl), whose rest is cl/neighbor/build_tile.cl or cl/neighbor/build_plain.cl: a work-group takes a block of
// BLOCK_EDGE^3 cells, whose atoms the curve makes contiguous. The candidates, the atoms of the cells around it that the list
// cutoff reaches, come into local memory, line by line of cells, so that those of an atom are (2 stencil + 1)^2 runs there.
//
//   TILE_ATOMS   candidates in local memory at a time, a window
//   AROUND  cells of the block and around it, at most
//   SOME_BLOCKS  a launch may take some of the blocks, those from number `first_block` of `order` on

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define MASKS 896 // of plain lists, 28 for each of 32 atoms
#ifndef HOLDER_WORDS
#define HOLDER_WORDS LARGER(2 * BLOCK_LOCAL, MASKS)
#endif

// Candidates in local memory are two numbers and one, or with types two and two: reads of four floats at a time wait more for
// one another's banks.
#if REACHES > 1
typedef float2 tile_rest;
#define WITH_TYPE(z, atom) (float2)(z, (float)staged_type(atom))
#define Z_OF_REST(rest) (rest).x
#define TYPE_IN_REST(rest) (rest).y
#define TYPE_OF_REST(rest) (uint)(rest).y
#else
typedef float tile_rest;
#define WITH_TYPE(z, atom) (z)
#define Z_OF_REST(rest) (rest)
#define TYPE_OF_REST(rest) 1
#endif

// Candidates are tested AT_ONCE by a work-item, so some places behind the last are read in vain.
#define AT_ONCE (LANES > 1 || !TILE ? 4 : 2)
#define BEYOND (TILE ? AT_ONCE * LANES : AT_ONCE)
#define PLACE(k) BANKED(k, TILE_ATOMS + BEYOND)

// Where a window's candidates come from goes to `place`; the work-item begins with cell number `from_c`.
#define LOOK_UP_CANDIDATES(from_c) \
    for (int c = (from_c); c < cells; c += BLOCK_LOCAL) { \
        const uint last_ = min(max(begins[c + 1], window) - window, held); \
        for (uint k = max(begins[c], window) - window; k < last_; k++) place[k] = source[c] + (k + window - begins[c]); \
    }
// From there they come into local memory, four at a time, so that their loads need not wait for one another; the work-item
// begins with number `from_k`. KEEP(k, j) may keep where number k is from.
#define BRING_CANDIDATES(from_k, KEEP) { \
        for (uint first_k = (from_k); first_k < held; first_k += 4 * BLOCK_LOCAL) { \
            uint j_[4]; \
            staged others[4]; \
SHORT_LOOP \
            for (uint t = 0; t < 4; t++) { \
                j_[t] = place[min(first_k + t * BLOCK_LOCAL, held - 1)]; \
                others[t] = position[j_[t]]; \
            } \
SHORT_LOOP \
            for (uint t = 0; t < 4; t++) { \
                const uint k = min(first_k + t * BLOCK_LOCAL, held - 1); \
                const float3 d = convert_float3(displacement(others[t], center, box)); \
                tile_xy[PLACE(k)] = d.xy; \
                tile_z[PLACE(k)] = WITH_TYPE(d.z, others[t]); \
                KEEP(k, j_[t]) \
            } \
        } \
        for (uint k = held + lid; k < held + BEYOND; k += BLOCK_LOCAL) { \
            tile_xy[PLACE(k)] = 0; \
            tile_z[PLACE(k)] = 1; /* of a type that there is */ \
        } \
    }

// Where ranks share the atoms, lists of some blocks come before those of others.
#ifdef SOME_BLOCKS
#define SOME_ARGUMENTS , __global const uint *restrict order, uint first_block
#define BLOCK_ID (first_block == 0xffffffffu ? (uint)get_group_id(0) : order[first_block + get_group_id(0)])
#else
#define SOME_ARGUMENTS
#define BLOCK_ID get_group_id(0)
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK_LOCAL, 1, 1)))
void build_list(__global const staged *restrict position, __global const uint *restrict range,
                __global const uint *restrict home, __constant const Box *box, __global const real *restrict reach,
                __global uint *restrict list, __global uint *restrict neighbors, __global uint *restrict blocks,
                __global staged *restrict centers, __global uint *restrict tiles, __global uint *restrict status,
                uint step, uint first, uint n, uint rows, uint stride, uint dummies, uint tile_room, uint tile_parts
                SOME_ARGUMENTS EXCLUDE_ARGUMENTS) {
    __local float2 tile_xy[BANKED_ROOM(TILE_ATOMS + BEYOND)];
    __local tile_rest tile_z[BANKED_ROOM(TILE_ATOMS + BEYOND)];
    PARKING(uint, parked, BLOCK_LOCAL)
    __local uint begins[AROUND + 1], source[AROUND]; // where the candidates of each cell begin, here and in `position`
    // Used for one thing after another: prefix sums, and what the rest of the kernel has it for.
    __local uint holder[HOLDER_WORDS];
    __local uint shared[2];
#define SUMS(side, k) holder[(side) * BLOCK_LOCAL + (k)]
    __local staged middle_of_block;
    const uint lid = get_local_id(0);
    const int across_x = (box->cells[0] + BLOCK_EDGE - 1) / BLOCK_EDGE;
    const int across_y = (box->cells[1] + BLOCK_EDGE - 1) / BLOCK_EDGE;
    const int id = BLOCK_ID;
    const int3 low = place_of(id, across_x, across_y) * BLOCK_EDGE;
    const int3 high = min(low + BLOCK_EDGE, (int3)(box->cells[0], box->cells[1], box->cells[2])) - 1;

    // Where lists reach: candidates per cell, and the atoms of the block itself.
    const int3 from = (int3)(lowest(low.x - box->stencil[0], 0, box), lowest(low.y - box->stencil[1], 1, box),
                             lowest(low.z - box->stencil[2], 2, box));
    const int3 size = (int3)(highest(high.x + box->stencil[0], 0, box), highest(high.y + box->stencil[1], 1, box),
                             highest(high.z + box->stencil[2], 2, box)) - from + 1;
    const int cells = size.x * size.y * size.z;
    // Positions are taken relative to the middle of the block, which one finds while others wait for memory.
    if (lid == BLOCK_LOCAL - 1) {
        master3 middle = (master3)(box->lo[0], box->lo[1], box->lo[2]);
        middle += convert_master3(convert_accum3(low + high + 1) / 2 /
                                  (accum3)(box->inverse_cell[0], box->inverse_cell[1], box->inverse_cell[2]));
        middle_of_block = stage(middle, 0, box);
    }
    if (lid == 0) {
        shared[0] = 0xffffffffu;
        shared[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = lid; c < cells; c += BLOCK_LOCAL) {
        const int3 at = from + place_of(c, size.x, size.y);
        const uint2 atoms = atoms_of(at, range, box, stride);
        begins[c] = atoms.y - atoms.x;
        source[c] = atoms.x;
        const int own = at.x >= low.x && at.x <= high.x && at.y >= low.y && at.y <= high.y && at.z >= low.z && at.z <= high.z;
        if (!own || atoms.x == atoms.y) continue;
        atomic_min(&shared[0], atoms.x);
        atomic_max(&shared[1], atoms.y);
    }
    // Asked here, so that nothing above waits for the answer.
#if TILE
    if (halted_before(status, step)) return; // no cycles here: another word of the status takes 5 % longer
#else
    if (passed_over(status, &step)) return;
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint2 all = (uint2)(shared[0], shared[1]);
    const uint begin = max(all.x, first), end = min(all.y, first + n); // as far as this page holds them
#if TILE
    if (lid == 0 && all.x >= all.y) vstore4((uint4)(0), id, blocks);
#endif
    if (begin >= end) return; // for the whole group

    // The prefix sum of the candidates.
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

    const staged center = middle_of_block;
    int fits = candidates <= tile_parts * TILE_ATOMS;
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
            atomic_max(&status[STATUS_TILE_PARTS], (candidates + TILE_ATOMS - 1) / TILE_ATOMS);
            halt(status, step);
        }
        return;
    }
#if REACHES > 1
#define LIMIT(type) my_reach[(type) - 1]
#else
#define LIMIT(type) REACH
#endif
#define NEXT_FLOAT(limit) (1.00000012f * (float)(limit)) // so that the sign says whether r^2 <= limit
// The limit of an atom's pair with a candidate of that `rest`: of few types they are all in registers.
#if REACHES > 4
#define KEEP_LIMITS
#define FLOAT_LIMIT(rest) NEXT_FLOAT(LIMIT(TYPE_OF_REST(rest)))
#elif REACHES > 1
#define KEEP_LIMITS \
    const float limit_1 = NEXT_FLOAT(my_reach[0]), limit_2 = NEXT_FLOAT(my_reach[1]); \
    const float limit_3 = NEXT_FLOAT(my_reach[min(2, REACHES - 1)]), limit_4 = NEXT_FLOAT(my_reach[REACHES - 1]);
#define BELOW(type, rest) (REACHES == (type) || TYPE_IN_REST(rest) < (type) + 0.5f)
#define FLOAT_LIMIT(rest) (BELOW(1, rest) ? limit_1 : BELOW(2, rest) ? limit_2 : BELOW(3, rest) ? limit_3 : limit_4)
#else
#define KEEP_LIMITS
#define FLOAT_LIMIT(rest) NEXT_FLOAT(REACH)
#endif
#ifdef DOUBLE
    // Above what rounding can do to r^2, as no coordinate and no reach is longer than the cells around the block.
    const float3 span = convert_float3(size) / (float3)(box->inverse_cell[0], box->inverse_cell[1], box->inverse_cell[2]);
    const float longest = max(max(span.x, span.y), span.z);
    const float slack = 2e-6f * longest * longest;
#endif
