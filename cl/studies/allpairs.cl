// All pairs in a periodic box. Positions are (x, y, z, type from 0) in fractions of the box: 32-bit integers
// modulo 2^32 (DOUBLE: doubles in [0, 1)), so that the difference of two as signed integers is the nearest
// image's. UNIT_X, UNIT_Y, UNIT_Z are the lengths of one such unit; in a cubic box there is one UNIT, which squares and
// sums take on instead of every difference. After cl/pair/<style>.cl.
//   TABLE   per ordered pair of types: cutoff^2, then the style's COEFFICIENTS numbers
//   CUTOFF  whether there is one
#define ELEMENT STAGED
#ifdef DOUBLE
static inline realv nearest(realv d) {
    // d - rint(d): at 1.5 * 2^52 doubles are whole numbers. Some runtimes call a function per lane for rint.
    const double whole = 6755399441055744.0;
    return d - ((d + whole) - whole);
}
#define NEAREST(a, b) nearest((a) - (b))
#else
#define NEAREST(a, b) convert_realv(as_intv((a) - (b)))
#endif
#ifdef UNIT
#define SEPARATION_OF(a, b, axis) NEAREST(a, b)
#else
#define SEPARATION_OF(a, b, axis) (NEAREST(a, b) * UNIT_##axis)
#endif
#define ROW (COEFFICIENTS + 1)
#define OWN (TYPES * ROW)

__constant real pair_table[] = TABLE;

static inline void fill_own(staged me, real *own) {
    for (uint k = 0; k < OWN; k++) own[k] = pair_table[staged_type(me) * OWN + k];
}

static inline realv pair_term(const real *own, stagedv type, realv rsq, realv *energy) {
    // Types are few: a chain of selects costs less than a look-up per pair.
    realv row[ROW];
    for (int k = 0; k < ROW; k++) row[k] = own[k];
#if TYPES > 1
#pragma unroll
    for (int t = 1; t < TYPES; t++) {
#pragma unroll
        for (int k = 0; k < ROW; k++) row[k] = type == (STAGED)t ? (realv)(own[t * ROW + k]) : row[k];
    }
#endif
    const realv pull = pair_eval(rsq, row + 1, energy);
#if CUTOFF
    *energy = rsq < row[0] ? *energy : (realv)(0);
    return rsq < row[0] ? pull : (realv)(0);
#else
    return pull;
#endif
}

// v += kick F / m, then x += drift v. `velocity` is (v, 1 / m); `drift` is the time step over the box lengths,
// in units of a position.
__kernel void allpairs_move(__global JOIN(STAGED, 4) *restrict position, __global JOIN(REAL, 4) *restrict velocity,
                            __global const JOIN(REAL, 4) *restrict force, real kick, JOIN(REAL, 4) drift, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    JOIN(REAL, 4) v = velocity[i];
    v.xyz += force[i].xyz * (kick * v.w);
    velocity[i] = v;
    staged x = position[i];
#ifdef DOUBLE
    x.xyz += drift.xyz * v.xyz;
    x.xyz -= floor(x.xyz);
#else
    x.xyz += as_uint3(convert_int3_sat_rte(drift.xyz * v.xyz));
#endif
    position[i] = x;
}
