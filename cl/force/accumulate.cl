// What a work-item of the neighbour loop adds up to forces, once for all pair styles (after pairs.cl). A style supplies, in
// cl/pair/<style>.cl,
//   realv pair_eval(realv rsq, const realv *c, realv *energy)      returns F / r, sets E
// for VW pairs at once, from its COEFFICIENTS numbers c for these types. A style that defines SAMPLED gets the tabulated functions
// as `__global const real *samples` before `energy`; one of many bodies, or that reads numbers of atoms, behind them, those of both atoms
// (`const realv *mine, const realv *theirs`). Where forces are not along the line between two atoms, it defines VECTOR_FORCES and supplies
//   void pair_vector(realv dx, realv dy, realv dz, realv rsq, const realv *c, const realv *mine, const realv *theirs, realv *f)
// with `samples` before `mine` where it has some, which adds these to f = (Fx, Fy, Fz, E). What other styles see of atoms is cl/force/pair_inputs.cl.
//   TALLY        also energy and virial per atom
//   COUNT_PAIRS  instead of forces: pairs are counted by types and distance, in so many bins, `per_length` to a unit of length

#ifdef SAMPLED
#define SAMPLES_PASSED , table + SAMPLES_AT ROWS_PASSED
#else
#define SAMPLES_PASSED
#endif
#ifdef MADE
#define PAIR_EVAL(rsq, c, energy) pair_eval(rsq, c SAMPLES_PASSED, my_made.m, made_of_other.m, energy)
#else
#define PAIR_EVAL(rsq, c, energy) pair_eval(rsq, c SAMPLES_PASSED, energy)
#endif

#ifdef COULOMB_OF_ATOMS
#define COULOMB_EVAL(rsq, lack, c, energy) coulomb_eval(rsq, lack, c, my_made.m, made_of_other.m, energy)
#else
#define COULOMB_EVAL(rsq, lack, c, energy) coulomb_eval(rsq, lack, c, energy)
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

// Adds VW pairs of an atom of type `mine`, with separations d, the numbers of the pairs and the other atoms' types.
ALWAYS_INLINE void add_pairs(Sums *sums, realv dx, realv dy, realv dz, Numbers numbers, minev mine, uintv theirs,
                             __global const real *table LISTED_PARAMETER INPUT_PARAMETERS) {
    const realv square = FMA(dz, dz, FMA(dy, dy, dx * dx));
#ifdef COUNT_PAIRS
    const realv place = sqrt(square) * per_length;
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
    const realv cutsq = numbers.cutsq, *const c = numbers.c;
    const realv rsq = LISTED_ONLY(square, cutsq);
    RETURN_UNLESS(rsq < cutsq)
#ifdef MADE
    const Made made_of_other = made_of_places(their_made, their_places);
#endif
    realv energy;
    realv f = PAIR_EVAL(rsq, c, &energy);
#if defined(CHARGES) || defined(VELOCITIES)
    f *= weight;
    energy *= weight;
#endif
#ifdef CHARGES
    realv coulomb;
    f = FMA(qq, COULOMB_EVAL(rsq, lack, c, &coulomb), f);
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
#ifdef VECTOR_FORCES
    realv g[4] = {0, 0, 0, 0};
    pair_vector(dx, dy, dz, rsq, c SAMPLES_PASSED, my_made.m, made_of_other.m, g);
SHORT_LOOP
    for (uint k = 0; k < 4; k++) ZERO_BEYOND(g[k], rsq, cutsq)
    sums->fx += g[0];
    sums->fy += g[1];
    sums->fz += g[2];
#if TALLY
    sums->energy += g[3];
    sums->xx = FMA(dx, g[0], sums->xx);
    sums->yy = FMA(dy, g[1], sums->yy);
    sums->zz = FMA(dz, g[2], sums->zz);
    sums->xy = FMA(dx, g[1], sums->xy);
    sums->xz = FMA(dx, g[2], sums->xz);
    sums->yz = FMA(dy, g[2], sums->yz);
#endif
#endif
}

#define PARKED_SUMS(size) \
    PARKING(realv, parked_x, size) \
    PARKING(realv, parked_y, size) \
    PARKING(realv, parked_z, size)
#ifdef NO_PRIVATE
#define PARKED_ARGUMENTS , __local volatile realv *parked_x, __local volatile realv *parked_y, __local volatile realv *parked_z
#define PARKED_NAMES , parked_x, parked_y, parked_z
#else
#define PARKED_ARGUMENTS
#define PARKED_NAMES
#endif
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

// What lanes have together in local memory.
//= piece lane_space
    LANE_SUMS(force_sums, 3)
#if TALLY
    LANE_SUMS(tally_sums, 8)
#endif
//= end

// What becomes of `sums` in the lanes of an atom: all together, in its first lane.
//= piece lane_totals
    real3 total = force_of(&sums);
    ADD_LANES(3, force_sums, total, lane)
#if TALLY
    real8 tallies = tallies_of(&sums);
    ADD_LANES(8, tally_sums, tallies, lane)
#ifdef CHARGES
    real3 coulombs = (real3)(SUM(sums.coulomb) / 2, 0, 0);
    ADD_LANES(3, force_sums, coulombs, lane)
#endif
#endif
//= end

// Where atoms share lists: sums of each atom of a cluster, and those of the k-th, which is atom i.
//= piece cluster_sums
        real sum[11][CLUSTER];
        STORE_FOUR(fx, sum[0]) STORE_FOUR(fy, sum[1]) STORE_FOUR(fz, sum[2])
#if TALLY
        STORE_FOUR(energy, sum[3]) STORE_FOUR(xx, sum[4]) STORE_FOUR(yy, sum[5]) STORE_FOUR(zz, sum[6])
        STORE_FOUR(xy, sum[7]) STORE_FOUR(xz, sum[8]) STORE_FOUR(yz, sum[9])
#ifdef CHARGES
        STORE_FOUR(coulomb, sum[10])
#endif
#endif
//= end
//= piece atom_totals
            real3 total = (real3)(sum[0][k], sum[1][k], sum[2][k]);
#if TALLY
            // Half of each pair: the other half is tallied at the other atom.
            real8 tallies = (real8)(sum[3][k], sum[4][k], sum[5][k], sum[6][k], sum[7][k], sum[8][k], sum[9][k], 0) / 2;
#ifdef CHARGES
            real3 coulombs = (real3)(sum[10][k] / 2, 0, 0);
            const real my_charge = charge[i];
#endif
#endif
//= end

// What comes to the `total` of atom i, of staged position `me`, besides: molecules, partial forces of first passes, long pairs; and to its
// `tallies` energies of an atom by itself, of its charge and by what has been made of it. Of the Coulomb part of an atom's energy the tallies
// have the sum with all else.
//= piece other_forces
#ifdef MOLECULES
        const Pulls pulls = molecule_pulls(i, me, position, table, MOLECULE_PASSED, box, status, step, stride INPUT_PASSED);
        total += pulls.force;
#if TALLY
        tallies += pulls.tallies;
#ifdef CHARGES
        coulombs.x += pulls.coulomb;
#endif
#endif
#endif
        ADD_SLOTS(i, me, total, tallies)
#ifdef LONG_PAIRS
        if (long_held[i] != 0) {
            total += vload3(i, long_force);
#if TALLY
            real8 far = vload8(i, long_tally);
#ifdef CHARGES
            coulombs.x += far.s7;
#endif
            far.s7 = 0;
            tallies += far;
#endif
        }
#endif
#if TALLY
#if defined(CHARGES) && defined(OWN_ENERGY)
        const real of_charge = own_energy(my_type, my_charge);
        tallies.s0 += of_charge;
        coulombs.x += of_charge;
#endif
#ifdef PASSES
        tallies.s0 += own[i];
#endif
#endif
//= end
