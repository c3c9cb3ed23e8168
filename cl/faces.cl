// Where a fix on the device moves the box (BOX_MOVES): an orthogonal one, not in single precision.

// Moves the faces across an axis, with what follows from them as src/neighbor/grid.rs has it.
static inline void move_faces(__global Box *box, int d, accum lo, accum hi) {
    const accum length = hi - lo;
    box->lo[d] = lo;
    box->hi[d] = hi;
    box->length[d] = length;
    box->inverse_length[d] = 1 / length;
    box->inverse_cell[d] = box->cells[d] / length;
    if (box->moduli[d] == 0) return;
    const accum modulus = length * box->replicas[d] / box->moduli[d];
#ifdef DOUBLE
    box->unit[d] = modulus;
    box->unit_rest[d] = 1 / modulus;
#else
    const accum unit = modulus * (accum)2.3283064365386963e-10; // 2^-32
    box->to_staged[d] = 1 / unit;
    box->unit[d] = (real)unit;
    box->unit_rest[d] = (real)(unit - (real)unit);
#endif
}

// The volume; in 2d the area.
static inline accum volume_of(__global const Box *box, int dimension) {
    const accum area = box->length[0] * box->length[1];
    return dimension == 2 ? area : area * box->length[2];
}

// How far an atom may come until lists are built anew, squared: half the skin, which is lo.w, less what the corners of the
// box have moved since they were at `lo` and `hi`.
static inline real trigger_of(__global const Box *box, accum4 lo, accum4 hi) {
    const accum3 low = (accum3)(box->lo[0], box->lo[1], box->lo[2]) - lo.xyz;
    const accum3 high = (accum3)(box->hi[0], box->hi[1], box->hi[2]) - hi.xyz;
    const accum moved = sqrt(low.x * low.x + low.y * low.y + low.z * low.z) +
                        sqrt(high.x * high.x + high.y * high.y + high.z * high.z);
    const accum trigger = fmax((accum)0.5 * (lo.w - moved), (accum)0);
    return trigger * trigger;
}
