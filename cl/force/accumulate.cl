// What a work-item of the neighbour loop adds up, once for all pair styles. A style supplies, in cl/pair/<style>.cl,
//   realv pair_eval(realv rsq, const realv *c, realv *energy)      returns F / r, sets E
// for VW pairs at once, from its COEFFICIENTS numbers c for these types. A style that defines SAMPLED gets
// what lies behind the coefficients in `table` as well, as `__global const real *samples` before `energy`; what
// other styles see of atoms is cl/force/pair_inputs.cl.
//   VW           pairs handled at once, as one vector
//   TALLY        also energy and virial per atom
//   COUNT_PAIRS  instead of forces: pairs are counted by types and distance, in so many bins, `per_length` to a unit of length
//   PAIR_KINDS   how many of the TYPES differ for the pair style: all, or 1 where every pair of types has the same coefficients
// Those of one kind are constants (CUTSQ, C0, C1, ...); else they are rows (cutoff^2, c[0], c[1], ...) of `table`, one per
// ordered pair of types.

#if VW == 1
#define LOAD_LIST(p) (*(p))
#define SUM(a) (a)
#elif VW == 2
#define LOAD_LIST(p) (*(__global const uint2 *)(p))
#define SUM(a) (a.s0 + a.s1)
#elif VW == 4
#define LOAD_LIST(p) LOAD4(p)
#define SUM(a) ((a.s0 + a.s1) + (a.s2 + a.s3))
#elif VW == 8
#define LOAD_LIST(p) (uint8)(LOAD4(p), LOAD4((p) + 4))
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) SUM8(a)
#elif VW == 16
#define LOAD_LIST(p) (uint16)(LOAD4(p), LOAD4((p) + 4), LOAD4((p) + 8), LOAD4((p) + 12))
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) (SUM8(a.lo) + SUM8(a.hi))
#endif
#define ENTRY_OF(k) table[k + entry]
// So many types of others at most, and a pair's row is chosen among those of all of them, instead of being looked up: on CPUs (whose lists
// are one work-item wide) and in tiles. Plain lists of GPUs lack the registers for it.
#define MOST_CHOSEN (LIST_WIDTH == 1 ? 8 : TILE ? 4 : 0)
#ifdef SAMPLED
#define PAIR_EVAL(rsq, c, energy) pair_eval(rsq, c, table + TYPES * TYPES * (COEFFICIENTS + 1), energy)
#else
#define PAIR_EVAL(rsq, c, energy) pair_eval(rsq, c, energy)
#endif

// With CLUSTER > 1 a vector has pairs of several atoms, and some that are in no list.
#if CLUSTER > 1
typedef uintv minev;
#define LISTED_PARAMETER , maskv listed
#define ALL_LISTED , (maskv)(-1)
#else
typedef uint minev;
#define LISTED_PARAMETER
#define ALL_LISTED
#endif

// What a work-item has added up so far.
typedef struct {
    realv fx, fy, fz;
#if TALLY
    realv energy, xx, yy, zz, xy, xz, yz;
#ifdef CHARGES
    realv coulomb;
#endif
#endif
} Sums;

// Adds VW pairs of an atom of type `mine`, with separations d and the other atoms' types.
static inline void add_pairs(Sums *sums, realv dx, realv dy, realv dz, minev mine, uintv theirs,
                             __global const real *table LISTED_PARAMETER SEEN_PARAMETERS) {
    realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx));
#ifdef COUNT_PAIRS
    const realv place = sqrt(rsq) * per_length;
#if CLUSTER > 1
    const maskv counted = listed & (place < (realv)(COUNT_PAIRS));
#else
    const maskv counted = place < (realv)(COUNT_PAIRS);
#endif
    // Places beyond the last bin are not counted, nor is it said what they are as integers.
    const uintv bin = convert_uintv(counted ? place : (realv)(0)) + ((mine - 1) * TYPES + theirs - 1) * COUNT_PAIRS;
    uint bins[VW], hits[VW];
    STOREV(bin, bins);
    STOREV(convert_uintv(counted) & 1, hits);
    for (uint k = 0; k < VW; k++)
        if (hits[k]) atomic_inc(&counts[bins[k]]);
    return;
#endif
#if PAIR_KINDS > 1
    realv c[COEFFICIENTS], cutsq;
#if PAIR_KINDS <= MOST_CHOSEN
    // The rows of all types of others: they stay the same through a list, so nothing is loaded for a pair.
SHORT_LOOP
    for (uint kind = 0; kind < TYPES; kind++) {
        const uintv j = (uintv)(((mine - 1) * TYPES + kind) * (COEFFICIENTS + 1)); // what GATHER goes by
        const maskv here = convert_maskv(theirs == (uintv)(kind + 1));
        uint entry = 0;
        const realv within = (realv)(GATHER(ENTRY_OF));
        cutsq = kind == 0 ? within : here ? within : cutsq;
SHORT_LOOP
        for (entry = 1; entry <= COEFFICIENTS; entry++) {
            const realv value = (realv)(GATHER(ENTRY_OF));
            c[entry - 1] = kind == 0 ? value : here ? value : c[entry - 1];
        }
    }
#else
    {
        const uintv j = (mine - 1) * (TYPES * (COEFFICIENTS + 1)) + (theirs - 1) * (COEFFICIENTS + 1);
        uint entry = 0;
        cutsq = (realv)(GATHER(ENTRY_OF));
        for (entry = 1; entry <= COEFFICIENTS; entry++) c[entry - 1] = (realv)(GATHER(ENTRY_OF));
    }
#endif
#else
    const realv c[COEFFICIENTS] = CONSTANTS;
    const real cutsq = CUTSQ;
#endif
#if CLUSTER > 1
    rsq = listed ? rsq : (realv)(cutsq); // beyond the cutoff
#endif
    RETURN_UNLESS(rsq < cutsq)
    realv energy;
    realv f = PAIR_EVAL(rsq, c, &energy);
#if defined(CHARGES) || defined(VELOCITIES)
    f *= weight;
    energy *= weight;
#endif
#ifdef CHARGES
    realv coulomb;
    f = FMA(qq, coulomb_eval(rsq, lack, c, &coulomb), f);
    coulomb *= qq;
#endif
#ifdef VELOCITIES
    // Noise of weighted pairs goes with the friction that it balances.
    realv per_noise;
    const realv friction = friction_eval(rsq, c, &per_noise);
    const realv noise = noise_unit * noise_of_pairs((uintv)(my_tag), tags, moment, seed);
    f = FMA(weight * FMA(dz, vz, FMA(dy, vy, dx * vx)), friction, f);
    f = FMA(sqrt(weight) * noise, per_noise, f);
#endif
    // A select, not a branch: pairs between the cutoff and the skin cost nothing extra.
    ZERO_BEYOND(f, rsq, cutsq)
    sums->fx = FMA(dx, f, sums->fx);
    sums->fy = FMA(dy, f, sums->fy);
    sums->fz = FMA(dz, f, sums->fz);
#if TALLY
#ifdef CHARGES
    ZERO_BEYOND(coulomb, rsq, cutsq)
    sums->coulomb += coulomb;
    energy += coulomb;
#endif
    ZERO_BEYOND(energy, rsq, cutsq)
    sums->energy += energy;
    sums->xx = FMA(dx * dx, f, sums->xx);
    sums->yy = FMA(dy * dy, f, sums->yy);
    sums->zz = FMA(dz * dz, f, sums->zz);
    sums->xy = FMA(dx * dy, f, sums->xy);
    sums->xz = FMA(dx * dz, f, sums->xz);
    sums->yz = FMA(dy * dz, f, sums->yz);
#endif
}

#define PARKED_SUMS(size) \
    PARKING(realv, parked_x, size) \
    PARKING(realv, parked_y, size) \
    PARKING(realv, parked_z, size)
#define PARK_SUMS PARK(parked_x, sums.fx) PARK(parked_y, sums.fy) PARK(parked_z, sums.fz)

#if CLUSTER == 1
static inline real3 force_of(const Sums *s) {
    return (real3)(SUM(s->fx), SUM(s->fy), SUM(s->fz));
}
#if TALLY
// Half of each pair: the other half is tallied at the other atom.
static inline real8 tallies_of(const Sums *s) {
    return (real8)(SUM(s->energy), SUM(s->xx), SUM(s->yy), SUM(s->zz), SUM(s->xy), SUM(s->xz), SUM(s->yz), 0) / 2;
}
#endif
#endif
