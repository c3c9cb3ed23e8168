// The full neighbour list: for each local atom every atom, local or ghost, with
// r^2 <= (cutoff + skin)^2 of their types at build time.

// Padding: one of eight dummy positions, the one at least a quarter of the fixed-point range away.
static inline uint dummy_for(staged a, uint dummies) {
#ifdef DOUBLE
    return dummies;
#else
    const uint near = 1u << 30;
    return dummies + ((a.x + near) >> 31 ? 0 : 1) + ((a.y + near) >> 31 ? 0 : 2) + ((a.z + near) >> 31 ? 0 : 4);
#endif
}

__kernel void build_list(__global const staged *restrict position, __global const master *restrict x,
                         __global const uint *restrict range, __global const uint *restrict cell_rank,
                         __constant const Box *box, __constant const real *restrict reach,
                         __global uint *restrict list, __global uint *restrict neighbors,
                         __global uint *restrict status, uint step, uint first, uint n, uint rows,
                         uint dummies) {
    const uint index = get_global_id(0);
    if (index >= n) return;
    const uint i = first + index;
    const staged me = position[i];
    const int3 cell = cell_of_atom(vload3(i, x), box);
    const uint capacity = rows * (LANES * VW);
    const size_t begin = list_begin(index * LANES, rows);
    const int3 here = cell + (int3)(box->margin[0], box->margin[1], box->margin[2]);
    const int3 extended = (int3)(box->extended[0], box->extended[1], box->extended[2]);
    const int3 stencil = (int3)(box->stencil[0], box->stencil[1], box->stencil[2]);
    const int3 low = max(here - stencil, 0);
    const int3 high = min(here + stencil, extended - 1);
    const int plane = extended.x * extended.y;
#if TYPES > 1
    __constant const real *my_reach = reach + (staged_type(me) - 1) * TYPES;
#endif
    uint count = 0;
    size_t slot = begin; // where entry `count` goes
    // The index of a cell runs along with the three loops; no product in the innermost one.
    int cz = low.z * plane;
    for (int z = low.z; z <= high.z; z++, cz += plane) {
        int cy = cz + low.y * extended.x;
        for (int y = low.y; y <= high.y; y++, cy += extended.x) {
            for (int c = cy + low.x; c <= cy + high.x; c++) {
                const uint rank = cell_rank[c];
                const uint2 atoms = vload2(rank, range);
                for (uint j = atoms.x; j < atoms.y; j++) {
                    const staged other = position[j];
                    const real3 d = displacement(me, other);
                    const real rsq = FMA(d.z, d.z, FMA(d.y, d.y, d.x * d.x));
#if TYPES > 1
                    const real limit = my_reach[staged_type(other) - 1];
#else
                    const real limit = REACH;
#endif
                    if (rsq <= limit && j != i) {
                        if (count < capacity) list[slot] = j;
                        count++;
                        slot++;
                        if ((count & (VW - 1)) == 0) // next chunk: next lane, or first lane of the next row
                            slot += (count & (LANES * VW - 1)) == 0 ? (LIST_WIDTH - LANES) * VW : 0;
                    }
                }
            }
        }
    }
    neighbors[i] = min(count, capacity);
    if (count > capacity) {
        atomic_max(&status[STATUS_LONGEST], count);
        halt(status, step);
        return;
    }
    const uint dummy = dummy_for(me, dummies);
    for (uint k = count; (k & (VW - 1)) != 0; k++) list[slot++] = dummy;
}

// The same list on CPUs, where a work-item has vectors and a cache to itself: it takes the atoms of an
// octant (two cells per axis, contiguous in the order of atoms as the curve visits octants whole),
// gathers the candidates around it once, and tests them VW at a time.
#if LIST_WIDTH == 1 && LANES == 1 && VW > 1
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
                              __global const staged *restrict position, __constant const real *restrict reach,
                              __global uint *restrict list, __global uint *restrict neighbors, uint first,
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
void build_list_by_octants(__global const staged *restrict position, __global const uint *restrict range,
                           __global const uint *restrict cell_rank, __constant const Box *box,
                           __constant const real *restrict reach, __global uint *restrict list,
                           __global uint *restrict neighbors, __global uint *restrict status, uint step,
                           uint first, uint n, uint rows, uint dummies) {
    STAGED x[BATCH], y[BATCH], z[BATCH];
    uint type[BATCH], j[BATCH];
    const int3 extended = (int3)(box->extended[0], box->extended[1], box->extended[2]);
    const int3 margin = (int3)(box->margin[0], box->margin[1], box->margin[2]);
    const int3 cells = (int3)(box->cells[0], box->cells[1], box->cells[2]);
    const int3 stencil = (int3)(box->stencil[0], box->stencil[1], box->stencil[2]);
    const int3 octants = (extended + 1) / 2;
    const int id = get_global_id(0);
    const int plane = octants.x * octants.y;
    int3 at;
    at.z = id / plane;
    at.y = (id - at.z * plane) / octants.x;
    at.x = id - at.z * plane - at.y * octants.x;
    if (at.z >= octants.z) return;
    // The atoms at home here: those of the octant's cells inside the box, as far as this page holds them.
    const int3 home_low = max(2 * at, margin);
    const int3 home_high = min(2 * at + 1, margin + cells - 1);
    uint begin = 0xffffffffu, end = 0;
    for (int cz = home_low.z; cz <= home_high.z; cz++)
        for (int cy = home_low.y; cy <= home_high.y; cy++)
            for (int cx = home_low.x; cx <= home_high.x; cx++) {
                const uint2 atoms = vload2(cell_rank[(cz * extended.y + cy) * extended.x + cx], range);
                if (atoms.x == atoms.y) continue;
                begin = min(begin, atoms.x);
                end = max(end, atoms.y);
            }
    begin = max(begin, first);
    end = min(end, first + n);
    if (begin >= end) return;
    for (uint i = begin; i < end; i++) neighbors[i] = 0;

    uint candidates = 0;
    const int3 low = max(home_low - stencil, 0);
    const int3 high = min(home_high + stencil, extended - 1);
    for (int cz = low.z; cz <= high.z; cz++)
        for (int cy = low.y; cy <= high.y; cy++)
            for (int c = (cz * extended.y + cy) * extended.x + low.x;
                 c <= (cz * extended.y + cy) * extended.x + high.x; c++) {
                const uint2 atoms = vload2(cell_rank[c], range);
                for (uint k = atoms.x; k < atoms.y; k++) {
                    const staged other = position[k];
                    x[candidates] = other.x;
                    y[candidates] = other.y;
                    z[candidates] = other.z;
                    type[candidates] = staged_type(other);
                    j[candidates] = k;
                    if (++candidates == BATCH) {
                        test_batch(x, y, z, type, j, BATCH, position, reach, list, neighbors, first, begin, end, rows);
                        candidates = 0;
                    }
                }
            }
    for (uint k = candidates; (k & (VW - 1)) != 0; k++) { // the rest of the last vector is defined
        x[k] = y[k] = z[k] = 0;
        type[k] = 1;
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
