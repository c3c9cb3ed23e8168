// Ways to walk the cells around an atom or an octant. WALK chooses; docs/principles.md compares them.
//   0  as shipped. GPUs: two loops, a row of cells along x is one run of candidates. CPUs: a row of cells is looked up
//      once for each copy of the box that it goes through
//   1  three loops, a cell's number computed in the innermost
//   2  one loop, which finds the next cell's number by additions under conditions
//   3  three loops, each of which adds its part to the number

// For GPUs, in local numbers, x fastest, of the `size` cells around a block: FOR_RUNS(least, most, size) stands before
// a block, in which [RUN, RUN_END) are the cells of one run of candidates.
#if WALK == 0
#define FOR_RUNS(least, most, size) \
    for (int z_ = (least).z; z_ <= (most).z; z_++) \
        for (int y_ = (least).y, run_ = (z_ * (size).y + y_) * (size).x + (least).x; y_ <= (most).y; \
             y_++, run_ += (size).x)
#define RUN run_
#define RUN_END (run_ + most.x - least.x + 1)
#elif WALK == 1
#define FOR_RUNS(least, most, size) \
    for (int z_ = (least).z; z_ <= (most).z; z_++) \
        for (int y_ = (least).y; y_ <= (most).y; y_++) \
            for (int x_ = (least).x; x_ <= (most).x; x_++)
#define RUN ((z_ * size.y + y_) * size.x + x_)
#define RUN_END (RUN + 1)
#elif WALK == 2
#define FOR_RUNS(least, most, size) \
    for (int x_ = (least).x, y_ = (least).y, z_ = (least).z, run_ = (z_ * (size).y + y_) * (size).x + x_; \
         z_ <= (most).z; \
         x_ < (most).x ? (x_++, run_++) \
         : (run_ -= x_ - (least).x, x_ = (least).x, y_ < (most).y) ? (y_++, run_ += (size).x) \
         : (run_ -= (y_ - (least).y) * (size).x, y_ = (least).y, z_++, run_ += (size).x * (size).y))
#define RUN run_
#define RUN_END (run_ + 1)
#else
#define FOR_RUNS(least, most, size) \
    for (int z_ = (least).z, plane_ = (z_ * (size).y + (least).y) * (size).x + (least).x; z_ <= (most).z; \
         z_++, plane_ += (size).x * (size).y) \
        for (int y_ = (least).y, row_ = plane_; y_ <= (most).y; y_++, row_ += (size).x) \
            for (int x_ = (least).x, run_ = row_; x_ <= (most).x; x_++, run_++)
#define RUN run_
#define RUN_END (run_ + 1)
#endif

// For CPUs, in cells of the box, which may lie across a face: FOR_CELLS(from, to) stands before a block, in which
// ATOMS_HERE are the atoms of a cell as places in `position` (cl/neighbor/stencil.cl: fold, atoms_of).
// What a coordinate adds to the number of the cell, which copy of the box it is in, and the atoms of a cell in a copy.
#define UNIT(axis) ((axis) == 0 ? 1 : (axis) == 1 ? box->cells[0] : box->cells[0] * box->cells[1])
#define FOLDED(at, axis, copy) (fold(at, box->total[axis], box->cells[axis], &(copy)) * UNIT(axis))
#define ATOMS_OF(cell) \
    (vload2(cell, range) + (uint)((kz_ * box->replicas[1] + ky_) * box->replicas[0] + kx_) * stride)
#if WALK == 0
#define FOR_CELLS(from, to) \
    for (int z_ = (from).z, kz_, plane_; z_ <= (to).z && (plane_ = FOLDED(z_, 2, kz_), 1); z_++) \
        for (int y_ = (from).y, ky_, row_; y_ <= (to).y && (row_ = plane_ + FOLDED(y_, 1, ky_), 1); y_++) \
            for (int x_ = (from).x, kx_, px_, run_; \
                 x_ <= (to).x && (px_ = FOLDED(x_, 0, kx_), run_ = min((to).x - x_ + 1, box->cells[0] - px_), 1); \
                 x_ += run_) \
                for (int cell_ = row_ + px_; cell_ < row_ + px_ + run_; cell_++)
#define ATOMS_HERE ATOMS_OF(cell_)
#elif WALK == 1
#define FOR_CELLS(from, to) \
    for (int z_ = (from).z; z_ <= (to).z; z_++) \
        for (int y_ = (from).y; y_ <= (to).y; y_++) \
            for (int x_ = (from).x; x_ <= (to).x; x_++)
#define ATOMS_HERE atoms_of((int3)(x_, y_, z_), range, box, stride)
#else
// How both go on.
#define GO_ON(part, axis, copy) \
    (part = part + UNIT(axis) < UNIT(axis) * box->cells[axis] \
         ? part + UNIT(axis) : (copy = copy + 1 < box->replicas[axis] ? copy + 1 : 0, 0))
#if WALK == 2
#define FOR_CELLS(from, to) \
    for (int x_ = (from).x, y_ = (from).y, z_ = (from).z, kx_, ky_, kz_, px_ = FOLDED(x_, 0, kx_), \
             py_ = FOLDED(y_, 1, ky_), pz_ = FOLDED(z_, 2, kz_); \
         z_ <= (to).z; \
         x_ < (to).x ? (x_++, GO_ON(px_, 0, kx_)) \
         : (x_ = (from).x, px_ = FOLDED(x_, 0, kx_), y_ < (to).y) ? (y_++, GO_ON(py_, 1, ky_)) \
         : (y_ = (from).y, py_ = FOLDED(y_, 1, ky_), z_++, GO_ON(pz_, 2, kz_)))
#else
#define FOR_CELLS(from, to) \
    for (int z_ = (from).z, kz_, pz_ = FOLDED(z_, 2, kz_); z_ <= (to).z; z_++, GO_ON(pz_, 2, kz_)) \
        for (int y_ = (from).y, ky_, py_ = FOLDED(y_, 1, ky_); y_ <= (to).y; y_++, GO_ON(py_, 1, ky_)) \
            for (int x_ = (from).x, kx_, px_ = FOLDED(x_, 0, kx_); x_ <= (to).x; x_++, GO_ON(px_, 0, kx_))
#endif
#define ATOMS_HERE ATOMS_OF(pz_ + py_ + px_)
#endif
