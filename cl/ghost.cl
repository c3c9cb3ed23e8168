// Ghost atoms: periodic images of the atoms near a face, stored after the local ones, cell by cell.
//
// Each ghost cell is a shifted copy of one cell of the box, so its atoms are that cell's atoms, less
// those farther than the ghost cutoff outside the box. A ghost remembers (atom, shift), and
// `shift_staged` holds the shifts as differences of staged positions.
//   ghost_cells[g] = (rank of the ghost cell, rank of its source, shift index, packed box counts)

// Whether the image of x that is `boxes` lengths away lies within the ghost cutoff of the box.
static inline int near(master x, int boxes, int d, __constant const Box *box) {
    if (boxes == 0) return 1;
    const master away = boxes * box->length[d];
    return boxes > 0 ? x <= box->hi[d] + box->ghost_cutoff - away : x >= box->lo[d] - box->ghost_cutoff - away;
}

static inline int is_ghost(master3 x, uint packed, __constant const Box *box) {
    const int nx = (int)(packed & 1023) - 512, ny = (int)(packed >> 10 & 1023) - 512, nz = (int)(packed >> 20) - 512;
    return near(x.x, nx, 0, box) && near(x.y, ny, 1, box) && near(x.z, nz, 2, box);
}

__kernel void ghost_count(__global const uint4 *restrict ghost_cells, __global const uint *restrict range,
                          __global const master *restrict x, __constant const Box *box,
                          __global uint *restrict counts, uint cells) {
    const uint g = get_global_id(0);
    if (g >= cells) return;
    const uint4 cell = ghost_cells[g];
    const uint first = range[2 * cell.y], last = range[2 * cell.y + 1];
    uint count = 0;
    for (uint i = first; i < last; i++) count += is_ghost(vload3(i, x), cell.w, box);
    counts[g] = count;
}

// `offsets` is the scanned `counts`. Ghosts beyond `capacity` are left out and the run is halted: the
// host sees the wanted number in the status buffer, makes room and calls again.
__kernel void ghost_fill(__global const uint4 *restrict ghost_cells, __global uint *restrict range,
                         __global const master *restrict x, __constant const Box *box,
                         __global const uint *restrict offsets, __global uint *restrict ghosts,
                         __global staged *restrict position, __global const staged *restrict shift_staged,
                         __global uint *restrict status, uint step, uint cells, uint locals, uint capacity) {
    const uint g = get_global_id(0);
    if (g >= cells) return;
    if (g == 0 && status[STATUS_GHOSTS] > capacity) halt(status, step);
    const uint4 cell = ghost_cells[g];
    const uint first = range[2 * cell.y], last = range[2 * cell.y + 1];
    const uint begin = min(offsets[g], capacity);
    uint end = begin;
    for (uint i = first; i < last; i++) {
        if (is_ghost(vload3(i, x), cell.w, box) && end < capacity) {
            vstore2((uint2)(i, cell.z), end, ghosts);
            position[locals + end] = position[i] + shift_staged[cell.z];
            end++;
        }
    }
    range[2 * cell.x] = locals + begin;
    range[2 * cell.x + 1] = locals + end;
}

// Between rebuilds ghosts follow their atoms.
__kernel void ghost_refresh(__global const uint2 *restrict ghosts, __global staged *restrict position,
                            __global const staged *restrict shift_staged, __global const uint *restrict status,
                            uint step, uint locals) {
    const uint g = get_global_id(0);
    if (g >= status[STATUS_GHOSTS] || halted(status, step)) return;
    const uint2 ghost = ghosts[g];
    position[locals + g] = position[ghost.x] + shift_staged[ghost.y];
}
