// Cells: each atom's cell, the range of atoms in each cell, the order (cell, tag), and the
// permutation of all atom arrays into it.
//
// Cells divide the box exactly; `margin` layers outside hold ghosts. `cell_rank` numbers the cells
// of the extended grid along a Hilbert curve, and that number is the sort key.

#define LOST 0xffffffffu

// Which cell of the box (not of the extended grid) a coordinate lies in; outliers join the edge cells.
static inline int cell_of(master x, master lo, accum inverse_cell, int cells) {
    return clamp(convert_int(convert_accum(x - lo) * inverse_cell), 0, cells - 1);
}

static inline int3 cell_of_atom(master3 x, __constant const Box *box) {
    return (int3)(cell_of(x.x, box->lo[0], box->inverse_cell[0], box->cells[0]),
                  cell_of(x.y, box->lo[1], box->inverse_cell[1], box->cells[1]),
                  cell_of(x.z, box->lo[2], box->inverse_cell[2], box->cells[2]));
}

static inline int extended_index(int3 cell, __constant const Box *box) {
    return ((cell.z + box->margin[2]) * box->extended[1] + cell.y + box->margin[1]) * box->extended[0] + cell.x +
           box->margin[0];
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

static inline int finite(master3 x) {
#ifdef SINGLE
    return 1; // fixed point has no infinities; a NaN velocity shows in the kinetic energy
#else
    return all(isfinite(x)) && all(fabs(x) < 1e12);
#endif
}

// Image counts, 21 bits per axis, offset by half their range.
#define IMAGE_BITS 21
#define IMAGE_ZERO (1L << (IMAGE_BITS - 1))
#define IMAGE_MASK ((1L << IMAGE_BITS) - 1)
static inline long image_of(long packed, int axis) {
    return ((packed >> (axis * IMAGE_BITS)) & IMAGE_MASK) - IMAGE_ZERO;
}
static inline long pack_image(long x, long y, long z) {
    return ((x + IMAGE_ZERO) & IMAGE_MASK) | (((y + IMAGE_ZERO) & IMAGE_MASK) << IMAGE_BITS) |
           (((z + IMAGE_ZERO) & IMAGE_MASK) << (2 * IMAGE_BITS));
}

// Wraps the atoms into the box and gives each its sort key: LOST behind a fixed face.
__kernel void bin_atoms(__global master *restrict x, __global long *restrict image, __global uint *restrict keys,
                        __global const uint *restrict cell_rank, __constant const Box *box,
                        __global uint *restrict status, uint step, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    master3 r = vload3(i, x);
    if (!finite(r)) {
        atomic_or(&status[STATUS_BAD], 1u);
        halt(status, step);
        keys[i] = LOST;
        return;
    }
    const long packed = image[i];
    long images[3];
    master at[3] = {r.x, r.y, r.z};
    int lost = 0;
    for (int d = 0; d < 3; d++) {
        images[d] = image_of(packed, d);
        if (box->periodic[d])
            at[d] = wrap(at[d], box->lo[d], box->hi[d], box->length[d], box->inverse_length[d], &images[d]);
        else
            lost |= at[d] < box->lo[d] || at[d] >= box->hi[d];
    }
    r = (master3)(at[0], at[1], at[2]);
    vstore3(r, i, x);
    image[i] = pack_image(images[0], images[1], images[2]);
    keys[i] = lost ? LOST : cell_rank[extended_index(cell_of_atom(r, box), box)];
}

// range[2 c], range[2 c + 1]: first atom of cell c and one behind its last, from the sorted keys.
// Cells without atoms keep the zeros they were cleared to.
__kernel void cell_ranges(__global const uint *restrict keys, __global uint *restrict range,
                          __global uint *restrict status, uint step, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    const uint key = keys[k];
    if (key == LOST) {
        if (k == 0 || keys[k - 1] != LOST) halt(status, step);
        return;
    }
    const uint next = k + 1 < n ? keys[k + 1] : LOST;
    if (k == 0 || keys[k - 1] != key) range[2 * key] = k;
    if (next != key) range[2 * key + 1] = k + 1;
    if (next == LOST) status[STATUS_KEPT] = k + 1;
}

// order[place] = atom, by (cell, tag): each atom counts the smaller tags in its cell.
__kernel void order_cells(__global const uint *restrict keys, __global const uint *restrict sorted,
                          __global const uint *restrict range, __global const uint *restrict tag,
                          __global uint *restrict order, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    const uint key = keys[k];
    const uint atom = sorted[k];
    if (key == LOST) {
        order[k] = atom;
        return;
    }
    const uint first = range[2 * key], last = range[2 * key + 1];
    const uint mine = tag[atom];
    uint place = first;
    for (uint m = first; m < last; m++) place += tag[sorted[m]] < mine;
    order[place] = atom;
}

// Gathers every per-atom array into the new order and stages the positions.
__kernel void permute_atoms(__global const uint *restrict order,
                            __global const master *restrict x, __global master *restrict x_out,
                            __global const accum *restrict v, __global accum *restrict v_out,
                            __global const long *restrict image, __global long *restrict image_out,
                            __global const uint *restrict tag, __global uint *restrict tag_out,
                            __global const uint *restrict type, __global uint *restrict type_out,
                            __global const uint *restrict mask, __global uint *restrict mask_out,
                            __global staged *restrict position, __global staged *restrict built_at, uint n) {
    const uint k = get_global_id(0);
    if (k >= n) return;
    const uint i = order[k];
    const master3 r = vload3(i, x);
    const uint t = type[i];
    vstore3(r, k, x_out);
    vstore3(vload3(i, v), k, v_out);
    image_out[k] = image[i];
    tag_out[k] = tag[i];
    type_out[k] = t;
    mask_out[k] = mask[i];
    const staged s = stage(r, t);
    position[k] = s;
    built_at[k] = s;
}
