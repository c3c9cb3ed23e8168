// Where a fix on the device moves the box (BOX_MOVES): an orthogonal one, not in single precision.

// Moves the faces across an axis, with what follows from them as src/engine/neighbor/grid/bytes.rs has it, but for the last digit.
CALLED void move_faces(__global Box *box, int d, accum lo, accum hi) {
    const accum length = hi - lo, per_length = 1 / length;
    box->lo[d] = lo;
    box->hi[d] = hi;
    box->length[d] = length;
    box->inverse_length[d] = per_length;
    box->inverse_cell[d] = box->cells[d] * per_length;
    if (box->moduli[d] == 0) return;
    // Divisions that need not wait for one another.
    const accum modulus = length * ((accum)box->replicas[d] / box->moduli[d]);
    const accum per_modulus = per_length * ((accum)box->moduli[d] / box->replicas[d]);
#ifdef DOUBLE
    box->unit[d] = modulus;
    box->unit_rest[d] = per_modulus;
#else
    const accum unit = modulus * (accum)2.3283064365386963e-10; // 2^-32
    box->to_staged[d] = per_modulus * (accum)4294967296.0;
    box->unit[d] = (real)unit;
    box->unit_rest[d] = (real)(unit - (real)unit);
#endif
}

// The volume; in 2d the area.
static inline accum volume_of(__global const Box *box, int dimension) {
    const accum area = box->length[0] * box->length[1];
    return dimension == 2 ? area : area * box->length[2];
}

// The pressures that the edges follow, by m v v and virial along the axes. From q on stand
//   0..2   1 for edges that follow the mean of their pressures
//   3      1 where all follow the scalar pressure
//   4, 5   pressure per energy and volume; the tail's energy per volume times the square of the volume
//   6      dimensions
static inline void edge_pressures(accum *found, const accum *mvv, const accum *virial, __global const accum *q,
                                  __global const Box *box) {
    const int flat = q[6] == 2;
    const accum per_volume = 1 / volume_of(box, (int)q[6]), tail = q[5] * (per_volume * per_volume) * q[4];
    const accum plane = virial[0] + virial[1], all_virial = flat ? plane : plane + virial[2];
    const accum scalar = (mvv[0] + mvv[1] + mvv[2] + all_virial) * (per_volume / q[6]) * q[4] + tail;
    accum together = 0, mean = 0;
    for (int d = 0; d < 3; d++) {
        found[d] = flat && d == 2 ? 0 : (mvv[d] + virial[d]) * per_volume * q[4] + tail;
        together += q[d];
        mean += q[d] * found[d];
    }
    for (int d = 0; d < 3; d++) found[d] = q[3] != 0 ? scalar : q[d] != 0 ? mean / together : found[d];
}

// How far the middle of the box has moved since the corners were at `lo` and `hi`, as src/engine/neighbor/grid/bytes.rs has it.
static inline void note_drift(__global Box *box, accum4 lo, accum4 hi) {
#ifdef MIXED
    const accum before[3] = {lo.x, lo.y, lo.z}, beyond[3] = {hi.x, hi.y, hi.z};
    for (int d = 0; d < 3; d++) {
        if (box->moduli[d] == 0) continue;
        const accum then = box->to_staged[d] * (box->length[d] / (beyond[d] - before[d]));
        const accum drift = (box->lo[d] + box->hi[d]) / 2 * box->to_staged[d] - (before[d] + beyond[d]) / 2 * then;
        box->drift[d] = (int)(uint)(long)rint(drift);
    }
#endif
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
