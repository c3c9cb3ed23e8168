// What molecules add to the sums of the neighbour loop, by the lane that speaks for the atom: bonds, and pairs whose
// forces count in part. Each atom looks at all of its own bonds, so that sums have a fixed order.
// A bond style supplies, in cl/bond/<style>.cl,
//   real bond_eval(real rsq, __global const real *c, real *energy, int *state)      returns F / r
// from the numbers c of this bond type.
//   BOND_COEFFICIENTS   how many there are
//   FIRST_LISTED    the first bond type that is a pair of pair_style list, whose energy is one of pairs; where there are such
//   SUBTRACTS_PAIRS the pairs of bonded atoms do not count; bonds that are too long are gone (BOND_SNAPPED), with BONDS_SNAP for good
//   BOND_WIDTH      bonds per atom, at most
//   SPECIAL_WIDTH   special neighbours per atom, at most; 0 where none counts in part
//   WEIGHT_12, WEIGHT_13, WEIGHT_14   how much pairs one, two and three bonds apart count
//   CHARGE_WEIGHT_12, ...             and their Coulomb forces

#define MOLECULE_ARGUMENTS \
    , __global const uint *restrict bonds, __global const real *restrict bond_table, \
    __global const uint *restrict special, __global const uint *restrict tags
#define MOLECULE_PASSED bonds, bond_table, special, tags
#define MOLECULE_NAMES , MOLECULE_PASSED

typedef struct {
    real3 force;
#if TALLY
    real8 tallies;
    real coulomb; // the part of it that charges have
#endif
} Pulls;

// Adds a pair at separation d: half of its energy and virial, as the other half is tallied at the other atom.
static inline void add_pull(Pulls *pulls, real3 d, real f) {
    pulls->force += f * d;
#if TALLY
    const real half_f = f / 2;
    pulls->tallies.s123 += half_f * d * d;
    pulls->tallies.s456 += half_f * (real3)(d.x * d.y, d.x * d.z, d.y * d.z);
#endif
}

#if VW == 1
#define FIRST(v) (v)
#else
#define FIRST(v) (v).s0
#endif

// All of the atom at place i, of staged position `me`.
static inline Pulls molecule_pulls(uint i, staged me, __global const staged *position, __global const real *table,
                                   __global const uint *bonds, __global const real *bond_table,
                                   __global const uint *special, __global const uint *tags,
                                   BOX_SPACE const Box *box, __global uint *status, uint step,
                                   uint stride INPUT_ARRAYS) {
    Pulls pulls;
    pulls.force = 0;
#if TALLY
    pulls.tallies = 0;
    pulls.coulomb = 0;
#endif
#if BOND_WIDTH > 0
    for (uint k = 0; k < BOND_WIDTH; k++) {
        const uint2 bond = vload2((size_t)k * stride + i, bonds);
        if (bond.y == 0) break;
        const real3 d = displacement(me, position[bond.x], box);
        real energy;
        int state;
        const real f = bond_eval(square(d), bond_table + (bond.y - 1) * BOND_COEFFICIENTS, &energy, &state);
#ifdef SUBTRACTS_PAIRS
        if (state == BOND_SNAPPED) {
#ifdef BONDS_SNAP
            report_bond(status, step, state, min(tags[i], tags[bond.x % stride]));
#endif
            continue;
        }
        // Its pair, which the neighbour loop has counted, is taken away.
        const staged partner = position[bond.x];
        Sums pair = {0};
        const minev mine = (minev)(staged_type(me));
        const uintv theirs = (uintv)(staged_type(partner));
        add_pairs(&pair, (realv)(d.x), (realv)(d.y), (realv)(d.z), numbers_of_pairs(mine, theirs, table), mine, theirs,
                  table ALL_LISTED);
        pulls.force -= (real3)(FIRST(pair.fx), FIRST(pair.fy), FIRST(pair.fz));
#if TALLY
        pulls.tallies -= (real)0.5f * (real8)(FIRST(pair.energy), FIRST(pair.xx), FIRST(pair.yy), FIRST(pair.zz), FIRST(pair.xy),
                                              FIRST(pair.xz), FIRST(pair.yz), 0);
#endif
#endif
        if (state != BOND_WHOLE) report_bond(status, step, state, min(tags[i], tags[bond.x % stride]));
        add_pull(&pulls, d, f);
#if TALLY
#ifdef FIRST_LISTED
        if (bond.y >= FIRST_LISTED) pulls.tallies.s0 += energy / 2;
        else
#endif
        pulls.tallies.s7 += energy / 2;
#endif
    }
#endif
#if SPECIAL_WIDTH > 0
    const real weights[3] = {WEIGHT_12, WEIGHT_13, WEIGHT_14};
    for (uint k = 0; k < SPECIAL_WIDTH; k++) {
        const uint2 link = vload2((size_t)k * stride + i, special);
        if (link.y == 0) break;
        real weight = weights[link.y - 1];
#ifdef CHARGES
        const real charge_weights[3] = {CHARGE_WEIGHT_12, CHARGE_WEIGHT_13, CHARGE_WEIGHT_14};
#define CHARGE_OF_SPECIAL , (realv)(charge[i] * charge[link.x]), 1 - charge_weights[link.y - 1]
#else
#define CHARGE_OF_SPECIAL
#endif
#ifdef VELOCITIES
        const staged mine = velocity[i], theirs = velocity[link.x];
#define VELOCITY_OF_SPECIAL \
        , (realv)(as_real(mine.x) - as_real(theirs.x)), (realv)(as_real(mine.y) - as_real(theirs.y)), \
        (realv)(as_real(mine.z) - as_real(theirs.z)), (minev)((uint)mine.w), (uintv)((uint)theirs.w), seed, moment, noise_unit
#else
#define VELOCITY_OF_SPECIAL
#endif
#if defined(CHARGES) || defined(VELOCITIES)
#define INPUT_OF_SPECIAL , weights[link.y - 1] CHARGE_OF_SPECIAL VELOCITY_OF_SPECIAL
        weight = 1; // the sums have the weights already
#else
#define INPUT_OF_SPECIAL
#endif
        if (weight == 0) continue;
        // The pair style's vectors hold one pair over and over; the first is taken.
        const staged other = position[link.x];
        const real3 d = displacement(me, other, box);
        Sums sums = {0};
        const minev my_type = (minev)(staged_type(me));
        const uintv its_type = (uintv)(staged_type(other));
        add_pairs(&sums, (realv)(d.x), (realv)(d.y), (realv)(d.z), numbers_of_pairs(my_type, its_type, table), my_type, its_type,
                  table ALL_LISTED INPUT_OF_SPECIAL);
        pulls.force += weight * (real3)(FIRST(sums.fx), FIRST(sums.fy), FIRST(sums.fz));
#if TALLY
        pulls.tallies += weight / 2 *
                         (real8)(FIRST(sums.energy), FIRST(sums.xx), FIRST(sums.yy), FIRST(sums.zz), FIRST(sums.xy),
                                 FIRST(sums.xz), FIRST(sums.yz), 0);
#ifdef CHARGES
        pulls.coulomb += FIRST(sums.coulomb) / 2;
#endif
#endif
    }
#endif
    return pulls;
}
