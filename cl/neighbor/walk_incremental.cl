// Walks cells by three loops, each of which adds its part to the number.
#define FOR_RUNS(least, most, size) \
    for (int z_ = (least).z, plane_ = (z_ * (size).y + (least).y) * (size).x + (least).x; z_ <= (most).z; \
         z_++, plane_ += (size).x * (size).y) \
        for (int y_ = (least).y, row_ = plane_; y_ <= (most).y; y_++, row_ += (size).x) \
            for (int x_ = (least).x, run_ = row_; x_ <= (most).x; x_++, run_++)
#define RUN run_
#define RUN_END (run_ + 1)
#define FOR_CELLS(from, to) \
    for (int z_ = (from).z, kz_, pz_ = FOLDED(z_, 2, kz_); z_ <= (to).z; z_++, GO_ON(pz_, 2, kz_)) \
        for (int y_ = (from).y, ky_, py_ = FOLDED(y_, 1, ky_); y_ <= (to).y; y_++, GO_ON(py_, 1, ky_)) \
            for (int x_ = (from).x, kx_, px_ = FOLDED(x_, 0, kx_); x_ <= (to).x; x_++, GO_ON(px_, 0, kx_))
#define ATOMS_HERE ATOMS_OF(pz_ + py_ + px_)
#define CELL_HERE (int3)(x_, y_, z_)
