// The full neighbour list: for each local atom every atom, local or ghost, with
// r^2 <= (cutoff + skin)^2 of their types at build time.
//
// A work-group of LIST_WIDTH work-items takes an octant: two cells per axis, whose atoms are contiguous
// in the order of atoms, as a Hilbert curve visits octants whole. The candidates around it are gathered
// once, batch by batch, and every atom of the octant tests them.

// Padding: one of eight dummy positions, the one at least a quarter of the fixed-point range away.
static inline uint dummy_for(staged a, uint dummies) {
#ifdef DOUBLE
    return dummies;
#else
    const uint near = 1u << 30;
    return dummies + ((a.x + near) >> 31 ? 0 : 1) + ((a.y + near) >> 31 ? 0 : 2) + ((a.z + near) >> 31 ? 0 : 4);
#endif
}

// Helpers take plain pointers: with `restrict`, inlining leaves marks that Oclgrind does not know.
typedef struct {
    int3 low, high;  // the cells around the octant that the list cutoff reaches
    uint begin, end; // the atoms at home in the octant, as far as this page holds them
} Octant;

static inline Octant octant_of(int id, __global const uint *range, __global const uint *cell_rank,
                               __constant const Box *box, uint first, uint n) {
    const int3 extended = (int3)(box->extended[0], box->extended[1], box->extended[2]);
    const int3 margin = (int3)(box->margin[0], box->margin[1], box->margin[2]);
    const int3 cells = (int3)(box->cells[0], box->cells[1], box->cells[2]);
    const int3 stencil = (int3)(box->stencil[0], box->stencil[1], box->stencil[2]);
    const int3 octants = (extended + 1) / 2;
    const int plane = octants.x * octants.y;
    int3 at; // no %: the remainder is what the quotient leaves
    at.z = id / plane;
    at.y = (id - at.z * plane) / octants.x;
    at.x = id - at.z * plane - at.y * octants.x;
    const int3 low = max(2 * at, margin);
    const int3 high = min(2 * at + 1, margin + cells - 1); // below `low` in octants of ghosts only
    Octant octant;
    octant.low = max(low - stencil, (int3)(0)); // not max(..., 0), for which Oclgrind reads too far
    octant.high = min(high + stencil, extended - 1);
    octant.begin = 0xffffffffu;
    octant.end = 0;
    for (int z = low.z; z <= high.z; z++)
        for (int y = low.y; y <= high.y; y++)
            for (int x = low.x; x <= high.x; x++) {
                const uint2 atoms = vload2(cell_rank[(z * extended.y + y) * extended.x + x], range);
                if (atoms.x == atoms.y) continue;
                octant.begin = min(octant.begin, atoms.x);
                octant.end = max(octant.end, atoms.y);
            }
    octant.begin = max(octant.begin, first);
    octant.end = min(octant.end, first + n);
    return octant;
}

#if LIST_WIDTH > 1 || LANES > 1 || VW == 1

#define BATCH 256         // candidates in local memory at a time
#define CELLS_PER_ITEM 8  // cells that a work-item looks up at a time

// Entries are stored a chunk at a time: single ones cost the memory system as much each.
#if VW == 1
#define PUSH(chunk, j) (j)
#define STORE_CHUNK(chunk, p) (*(p) = (chunk))
#else
#if VW == 2
#define PUSH(chunk, j) (uint2)((chunk).s1, j)
#elif VW == 4
#define PUSH(chunk, j) (uint4)((chunk).s123, j)
#elif VW == 8
#define PUSH(chunk, j) (uint8)((chunk).s123, (chunk).s4567, j)
#elif VW == 16
#define PUSH(chunk, j) (uint16)((chunk).s123, (chunk).s4567, (chunk).s89ab, (chunk).scdef, j)
#endif
#define STORE_CHUNK(chunk, p) JOIN(vstore, VW)(chunk, 0, p)
#endif

__kernel __attribute__((reqd_work_group_size(LIST_WIDTH, 1, 1)))
void build_list(__global const staged *restrict position, __global const uint *restrict range,
                __global const uint *restrict cell_rank, __constant const Box *box,
                __global const real *restrict reach, __global uint *restrict list,
                __global uint *restrict neighbors, __global uint *restrict status, uint step, uint first, uint n,
                uint rows, uint dummies) {
    __local staged batch[BATCH]; // the type's place holds the index
#if TYPES > 1
    __local uint batch_type[BATCH];
#endif
    __local uint sums[2][LIST_WIDTH];
    const Octant octant = octant_of(get_group_id(0), range, cell_rank, box, first, n);
    if (octant.begin >= octant.end) return; // for the whole group
    const int2 extended = (int2)(box->extended[0], box->extended[1]);
    const int3 size = octant.high - octant.low + 1;
    const int cells = size.x * size.y * size.z;
    const uint lid = get_local_id(0);
    const uint capacity = rows * (LANES * VW);
    const uint next_row = (LIST_WIDTH - LANES + 1) * VW; // from the last lane's chunk to the first lane's
    // Mostly once: an octant of a liquid at half-cutoff cells holds some 18 atoms.
    for (uint home = octant.begin; home < octant.end; home += LIST_WIDTH) {
        const uint i = home + lid;
        const int active = i < octant.end;
        const staged me = position[active ? i : home];
#if TYPES > 1
        __global const real *my_reach = reach + (staged_type(me) - 1) * TYPES;
#endif
        uint count = 0;
        size_t slot = list_begin((i - first) * LANES, rows); // where the chunk that is being filled goes
        uintv chunk = 0;
        for (int base = 0; base < cells; base += LIST_WIDTH * CELLS_PER_ITEM) {
            // Consecutive cells per work-item, and where its atoms go among all candidates.
            uint2 atoms[CELLS_PER_ITEM];
            uint mine = 0, fullest = 0;
#pragma unroll
            for (int k = 0; k < CELLS_PER_ITEM; k++) {
                const int c = base + (int)lid * CELLS_PER_ITEM + k;
                atoms[k] = 0;
                if (c < cells) {
                    const int z = c / (size.x * size.y);
                    const int y = (c - z * size.x * size.y) / size.x;
                    const int x = c - (z * size.y + y) * size.x;
                    const int3 at = octant.low + (int3)(x, y, z);
                    atoms[k] = vload2(cell_rank[(at.z * extended.y + at.y) * extended.x + at.x], range);
                }
                mine += atoms[k].y - atoms[k].x;
                fullest = max(fullest, atoms[k].y - atoms[k].x);
            }
            uint from = 0;
            sums[0][lid] = mine;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint reach_back = 1; reach_back < LIST_WIDTH; reach_back <<= 1) {
                sums[1 - from][lid] = sums[from][lid] + (lid >= reach_back ? sums[from][lid - reach_back] : 0);
                from = 1 - from;
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            const uint place = sums[from][lid] - mine;
            const uint candidates = sums[from][LIST_WIDTH - 1];
            for (uint window = 0; window < candidates; window += BATCH) {
                // The t-th atom of each cell in turn, so that a work-item's loads do not wait for one another.
                for (uint t = 0; t < fullest; t++) {
                    uint at = place + t;
#pragma unroll
                    for (int k = 0; k < CELLS_PER_ITEM; k++) {
                        const uint j = atoms[k].x + t;
                        if (j < atoms[k].y && at - window < BATCH) { // unsigned: also not before the window
                            staged other = position[j];
#if TYPES > 1
                            batch_type[at - window] = staged_type(other);
#endif
                            other.w = j;
                            batch[at - window] = other;
                        }
                        at += atoms[k].y - atoms[k].x;
                    }
                }
                const uint in_batch = min((uint)BATCH, candidates - window);
                for (uint k = in_batch + lid; k < ((in_batch + 31) & ~31u); k += LIST_WIDTH) {
                    batch[k] = me; // the rest of the last word is defined
#if TYPES > 1
                    batch_type[k] = 1;
#endif
                }
                barrier(CLK_LOCAL_MEM_FENCE);
                const uint held = active ? in_batch : 0;
                for (uint first_of_word = 0; first_of_word < held; first_of_word += 32) {
                    // Test first, write later: some work-item nearly always has a hit, so that a branch
                    // here would cost all of them at every candidate.
                    uint hits = 0;
#pragma unroll
                    for (uint k = 0; k < 32; k++) {
                        const staged other = batch[first_of_word + k];
                        const real3 d = displacement(me, other);
                        const real rsq = FMA(d.z, d.z, FMA(d.y, d.y, d.x * d.x));
#if TYPES > 1
                        const real limit = my_reach[batch_type[first_of_word + k] - 1];
#else
                        const real limit = REACH;
#endif
                        hits |= (uint)(rsq <= limit) << k;
                    }
                    if (held - first_of_word < 32) hits &= (1u << (held - first_of_word)) - 1;
                    while (hits) {
                        const uint j = (uint)batch[first_of_word + 31 - clz(hits & -hits)].w;
                        hits &= hits - 1;
                        if (j == i) continue;
                        chunk = PUSH(chunk, j);
                        count++;
                        if ((count & (VW - 1)) == 0) {
                            if (count <= capacity) STORE_CHUNK(chunk, list + slot);
                            slot += (count & (LANES * VW - 1)) == 0 ? next_row : VW;
                        }
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            barrier(CLK_LOCAL_MEM_FENCE); // `sums` is written anew
        }
        if (active) {
            neighbors[i] = min(count, capacity);
            if (count > capacity) {
                atomic_max(&status[STATUS_LONGEST], count);
                halt(status, step);
            } else {
                const uint dummy = dummy_for(me, dummies);
                for (uint k = count; (k & (VW - 1)) != 0; k++) {
                    chunk = PUSH(chunk, dummy);
                    if (((k + 1) & (VW - 1)) == 0) STORE_CHUNK(chunk, list + slot);
                }
            }
        }
    }
}

#else // CPUs: a work-item has vectors and a cache to itself, and tests VW candidates at a time

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
                              __global const staged *position, __global const real *reach,
                              __global uint *list, __global uint *neighbors, uint first,
                              uint begin, uint end, uint rows) {
    const uint capacity = rows * VW;
    for (uint i = begin; i < end; i++) {
        const staged me = position[i];
        __global uint *entries = list + list_begin(i - first, rows);
        uint count = neighbors[i];
        for (uint base = 0; base < candidates; base += VW) {
            const realv dx = SEPARATION(me.x, LOADV(x + base));
            const realv dy = SEPARATION(me.y, LOADV(y + base));
            const realv dz = SEPARATION(me.z, LOADV(z + base));
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
                __global const uint *restrict cell_rank, __constant const Box *box,
                __global const real *restrict reach, __global uint *restrict list,
                __global uint *restrict neighbors, __global uint *restrict status, uint step, uint first, uint n,
                uint rows, uint dummies) {
    STAGED x[BATCH], y[BATCH], z[BATCH];
    uint type[BATCH], j[BATCH];
    const Octant octant = octant_of(get_group_id(0), range, cell_rank, box, first, n);
    const int2 extended = (int2)(box->extended[0], box->extended[1]);
    const uint begin = octant.begin, end = octant.end;
    if (begin >= end) return;
    for (uint i = begin; i < end; i++) neighbors[i] = 0;

    uint candidates = 0;
    for (int cz = octant.low.z; cz <= octant.high.z; cz++)
        for (int cy = octant.low.y; cy <= octant.high.y; cy++) {
            const int row = (cz * extended.y + cy) * extended.x;
            for (int c = row + octant.low.x; c <= row + octant.high.x; c++) {
                const uint2 atoms = vload2(cell_rank[c], range);
                for (uint k = atoms.x; k < atoms.y; k++) {
                    const staged other = position[k];
                    x[candidates] = other.x;
                    y[candidates] = other.y;
                    z[candidates] = other.z;
                    type[candidates] = staged_type(other);
                    j[candidates] = k;
                    if (++candidates < BATCH) continue;
                    test_batch(x, y, z, type, j, BATCH, position, reach, list, neighbors, first, begin, end, rows);
                    candidates = 0;
                }
            }
        }
    for (uint k = candidates; (k & (VW - 1)) != 0; k++) { // the rest of the last vector is defined
        x[k] = y[k] = z[k] = 0;
        type[k] = 1;
        j[k] = 0;
    }
    test_batch(x, y, z, type, j, candidates, position, reach, list, neighbors, first, begin, end, rows);

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
        const uint dummy = dummy_for(position[i], dummies);
        for (uint k = count; (k & (VW - 1)) != 0; k++) entries[k] = dummy;
    }
}
#endif
