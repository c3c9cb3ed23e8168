// Walks cells by three loops, a cell's number computed in the innermost.
#define FOR_RUNS(least, most, size) \
    for (int z_ = (least).z; z_ <= (most).z; z_++) \
        for (int y_ = (least).y; y_ <= (most).y; y_++) \
            for (int x_ = (least).x; x_ <= (most).x; x_++)
#define RUN ((z_ * size.y + y_) * size.x + x_)
#define RUN_END (RUN + 1)
#define FOR_CELLS(from, to) \
    for (int z_ = (from).z; z_ <= (to).z; z_++) \
        for (int y_ = (from).y; y_ <= (to).y; y_++) \
            for (int x_ = (from).x; x_ <= (to).x; x_++)
#define ATOMS_HERE atoms_of((int3)(x_, y_, z_), range, box, stride)
#define CELL_HERE (int3)(x_, y_, z_)
