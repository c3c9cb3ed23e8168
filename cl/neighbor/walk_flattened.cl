// Walks cells by one loop, which finds the next cell's number by additions under conditions.
#define FOR_RUNS(least, most, size) \
    for (int x_ = (least).x, y_ = (least).y, z_ = (least).z, run_ = (z_ * (size).y + y_) * (size).x + x_; \
         z_ <= (most).z; \
         x_ < (most).x ? (x_++, run_++) \
         : (run_ -= x_ - (least).x, x_ = (least).x, y_ < (most).y) ? (y_++, run_ += (size).x) \
         : (run_ -= (y_ - (least).y) * (size).x, y_ = (least).y, z_++, run_ += (size).x * (size).y))
#define RUN run_
#define RUN_END (run_ + 1)
#define FOR_CELLS(from, to) \
    for (int x_ = (from).x, y_ = (from).y, z_ = (from).z, kx_, ky_, kz_, px_ = FOLDED(x_, 0, kx_), \
             py_ = FOLDED(y_, 1, ky_), pz_ = FOLDED(z_, 2, kz_); \
         z_ <= (to).z; \
         x_ < (to).x ? (x_++, GO_ON(px_, 0, kx_)) \
         : (x_ = (from).x, px_ = FOLDED(x_, 0, kx_), y_ < (to).y) ? (y_++, GO_ON(py_, 1, ky_)) \
         : (y_ = (from).y, py_ = FOLDED(y_, 1, ky_), z_++, GO_ON(pz_, 2, kz_)))
#define ATOMS_HERE ATOMS_OF(pz_ + py_ + px_)
#define CELL_HERE (int3)(x_, y_, z_)
