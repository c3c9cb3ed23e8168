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
