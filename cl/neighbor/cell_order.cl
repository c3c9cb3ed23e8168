// Ways to walk the cells around an atom or an octant: what they have in common. One of walk_shipped.cl, walk_triple.cl,
// walk_flattened.cl, walk_incremental.cl comes next (Walk of src/engine/kernels/variants.rs); docs/principles.md compares them. Each has
//   FOR_RUNS(least, most, size)   for GPUs, in local numbers, x fastest, of the `size` cells around a block: stands before a block, in
//                                 which [RUN, RUN_END) are the cells of one run of candidates
//   FOR_CELLS(from, to)           for CPUs, in cells of the box, which may lie across a face: stands before a block, in which ATOMS_HERE
//                                 are the atoms of the cell CELL_HERE as places in `position` (stencil.cl: fold, atoms_of)

// What a coordinate adds to the number of the cell, which copy of the box it is in, and the atoms of a cell in a copy.
#define UNIT(axis) ((axis) == 0 ? 1 : (axis) == 1 ? box->cells[0] : box->cells[0] * box->cells[1])
#define FOLDED(at, axis, copy) (fold(at, box->total[axis], box->cells[axis], &(copy)) * UNIT(axis))
#define ATOMS_OF(cell) \
    (vload2(cell, range) + (uint)((kz_ * box->replicas[1] + ky_) * box->replicas[0] + kx_) * stride)
// How a coordinate goes on to the next cell, by its part of the number and its copy.
#define GO_ON(part, axis, copy) \
    (part = part + UNIT(axis) < UNIT(axis) * box->cells[axis] \
         ? part + UNIT(axis) : (copy = copy + 1 < box->replicas[axis] ? copy + 1 : 0, 0))
