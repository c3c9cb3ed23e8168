// Walks cells as shipped. GPUs: two loops, a row of cells along x is one run of candidates. CPUs: a row of cells is looked up once for
// each copy of the box that it goes through.
#define FOR_RUNS(least, most, size) \
    for (int z_ = (least).z; z_ <= (most).z; z_++) \
        for (int y_ = (least).y, run_ = (z_ * (size).y + y_) * (size).x + (least).x; y_ <= (most).y; \
             y_++, run_ += (size).x)
#define RUN run_
#define RUN_END (run_ + most.x - least.x + 1)
#define FOR_CELLS(from, to) \
    for (int z_ = (from).z, kz_, plane_; z_ <= (to).z && (plane_ = FOLDED(z_, 2, kz_), 1); z_++) \
        for (int y_ = (from).y, ky_, row_; y_ <= (to).y && (row_ = plane_ + FOLDED(y_, 1, ky_), 1); y_++) \
            for (int x_ = (from).x, kx_, px_, run_; \
                 x_ <= (to).x && (px_ = FOLDED(x_, 0, kx_), run_ = min((to).x - x_ + 1, box->cells[0] - px_), 1); \
                 x_ += run_) \
                for (int cell_ = row_ + px_; cell_ < row_ + px_ + run_; cell_++)
#define ATOMS_HERE ATOMS_OF(cell_)
#define CELL_HERE (int3)(x_ + cell_ - row_ - px_, y_, z_)
