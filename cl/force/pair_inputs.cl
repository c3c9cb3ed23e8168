// What pair styles see of atoms besides positions and types, after their files: charges (CHARGES), velocities
// (VELOCITIES), numbers that an earlier pass over the neighbours has made or that the script gives (MADE of them, cl/force/first_pass.cl,
// AtomInput of src/potentials/pair/style.rs). Each stands by place, beside the staged positions, dummies and copies of the box included
// (src/engine/neighbor/pair_inputs.rs); styles that see nothing of it cost nothing.
//
// A style with charges supplies, besides pair_eval,
//   realv coulomb_eval(realv rsq, real lack, const realv *c, realv *energy)
// F / r and E per product of two charges, which have the unit of (energy times distance)^(1/2). `lack` is the part that
// special_bonds takes away, 0 for most pairs; of what pair_eval gives they have the part `weight`, most of them 1.
// One that defines COULOMB_OF_ATOMS gets the numbers of both atoms before `energy`, as pair_eval does.
//   OWN_ENERGY   per type, what an atom has by itself per square of its charge; none where it is not defined
// One with friction and noise (after noise.cl) supplies
//   realv friction_eval(realv rsq, const realv *c, realv *noise)
// F / r per product of separation and velocity, and sets F / r per normal number, in units of `noise_unit`.

#ifdef CHARGES
#define CHARGE_ARGUMENT , __global const real *restrict charge
#define CHARGE_ARRAY , __global const real *charge
#define CHARGE_PASSED , charge
#define CHARGE_PARAMETERS , realv qq, real lack
// The pair loop's own atom, the VW others of its list, and those of a chunk in a tile.
#define CHARGE_MINE(i) const real my_charge = charge[i];
#define CHARGE_OF(k) charge[k]
#define CHARGE_OF_LIST , my_charge * (realv)(GATHER(CHARGE_OF)), 0
// The tile: beside each position in local memory.
#define CHARGE_TILE __local real tile_charge[BANKED_ROOM(TILE_ATOMS + 1)];
#define CHARGE_DUMMY tile_charge[PLACE(TILE_ATOMS)] = 0;
#define CHARGE_OTHERS(count) real other_charge[count];
#define CHARGE_LOAD(t, from) other_charge[t] = charge[from];
#define CHARGE_STORE(t, k) tile_charge[PLACE(k)] = other_charge[t];
#define TILE_CHARGE(k) tile_charge[(k) / (uint)sizeof(real4)]
#define CHARGE_OF_TILE , my_charge * (realv)(GATHER(TILE_CHARGE)), 0
#else
#define CHARGE_ARGUMENT
#define CHARGE_ARRAY
#define CHARGE_PASSED
#define CHARGE_PARAMETERS
#define CHARGE_MINE(i)
#define CHARGE_OF_LIST
#define CHARGE_TILE
#define CHARGE_DUMMY
#define CHARGE_OTHERS(count)
#define CHARGE_LOAD(t, from)
#define CHARGE_STORE(t, k)
#define CHARGE_OF_TILE
#endif

#ifdef VELOCITIES
// (vx, vy, vz, ID), the velocities as bits of `real` (stage_velocity of cl/common/common.cl).
#define VELOCITY_ARGUMENT \
    , __global const staged *restrict velocity, uint seed, long began, real noise_unit
#define VELOCITY_NAMES , velocity, seed, began, noise_unit
#define VELOCITY_ARRAY , __global const staged *velocity, uint seed, long moment, real noise_unit
#define VELOCITY_PASSED , velocity, seed, moment, noise_unit
#define VELOCITY_PARAMETERS \
    , realv vx, realv vy, realv vz, minev my_tag, uintv tags, uint seed, long moment, real noise_unit
#define VELOCITY_MOMENT const long moment = began + (long)step;
#define VELOCITY_MINE_PASSED(i) const staged my_velocity = velocity[i];
#define VELOCITY_MINE(i) VELOCITY_MINE_PASSED(i) VELOCITY_MOMENT
#define VX_OF(k) velocity[k].x
#define VY_OF(k) velocity[k].y
#define VZ_OF(k) velocity[k].z
#define TAG_OF(k) (uint)velocity[k].w
#define VELOCITY_OF_PAIRS(X, Y, Z, tag) \
    , as_real(my_velocity.x) - as_realv((stagedv)(GATHER(X))), as_real(my_velocity.y) - as_realv((stagedv)(GATHER(Y))), \
    as_real(my_velocity.z) - as_realv((stagedv)(GATHER(Z))), \
    (uint)my_velocity.w, (uintv)(GATHER(tag)), seed, moment, noise_unit
#define VELOCITY_OF_LIST VELOCITY_OF_PAIRS(VX_OF, VY_OF, VZ_OF, TAG_OF)
#define VELOCITY_TILE __local staged tile_velocity[BANKED_ROOM(TILE_ATOMS + 1)];
#define VELOCITY_DUMMY tile_velocity[PLACE(TILE_ATOMS)] = 0;
#define VELOCITY_OTHERS(count) staged other_velocity[count];
#define VELOCITY_LOAD(t, from) other_velocity[t] = velocity[from];
#define VELOCITY_STORE(t, k) tile_velocity[PLACE(k)] = other_velocity[t];
#define TILE_VX(k) tile_velocity[(k) / (uint)sizeof(real4)].x
#define TILE_VY(k) tile_velocity[(k) / (uint)sizeof(real4)].y
#define TILE_VZ(k) tile_velocity[(k) / (uint)sizeof(real4)].z
#define TILE_TAG(k) (uint)tile_velocity[(k) / (uint)sizeof(real4)].w
#define VELOCITY_OF_TILE VELOCITY_OF_PAIRS(TILE_VX, TILE_VY, TILE_VZ, TILE_TAG)
#else
#define VELOCITY_ARGUMENT
#define VELOCITY_NAMES
#define VELOCITY_ARRAY
#define VELOCITY_PASSED
#define VELOCITY_PARAMETERS
#define VELOCITY_MOMENT
#define VELOCITY_MINE_PASSED(i)
#define VELOCITY_MINE(i)
#define VELOCITY_OF_LIST
#define VELOCITY_TILE
#define VELOCITY_DUMMY
#define VELOCITY_OTHERS(count)
#define VELOCITY_LOAD(t, from)
#define VELOCITY_STORE(t, k)
#define VELOCITY_OF_TILE
#endif

// What first passes have left: it changes where the same launch makes them (kernel.cl).
#ifdef PASS_CALLS
#define LEFT_BY_PASS(type) __global type *
#else
#define LEFT_BY_PASS(type) __global const type *restrict
#endif
// The energy that they have left of an atom.
#ifdef PASSES
#define OWN_ARGUMENT , LEFT_BY_PASS(real) own
#define OWN_NAME , own
#else
#define OWN_ARGUMENT
#define OWN_NAME
#endif
// What a first pass has found within the cutoff: which entries of lists (loop_picked.cl), or places (loop_cluster.cl).
#ifdef MARKED
#define FOUND_ARGUMENT , LEFT_BY_PASS(uint) marks
#define FOUND_PASSED , marks
#elif defined(NEAR_TAKEN)
#define FOUND_ARGUMENT , LEFT_BY_PASS(uint) near_place, LEFT_BY_PASS(uint) near_count, uint near_room
#define FOUND_PASSED , near_place, near_count, near_room
#else
#define FOUND_ARGUMENT
#define FOUND_PASSED
#endif
// Forces of long pairs, which stand in memory where an atom has some (long_pairs.cl).
#ifdef LONG_PAIRS
#define LONG_ARGUMENT \
    , __global const uint *restrict long_held, __global const real *restrict long_force, __global const real *restrict long_tally
#define LONG_NAMES , long_held, long_force, long_tally
#else
#define LONG_ARGUMENT
#define LONG_NAMES
#endif
#ifndef SLOT_SETS
#define SLOTS_ARGUMENT
#define SLOTS_NAMES
#define ADD_SLOTS(i, me, force_, tally_)
#endif

#ifdef MADE
typedef struct {
    realv m[MADE];
} Made;
#define MADE_ARGUMENT , LEFT_BY_PASS(real) made
#define MADE_ARRAY , __global const real *made
#define MADE_PASSED , made
// The other atoms' are read where pairs are within the cutoff.
#define MADE_PARAMETERS , Made my_made, MADE_SPACE const real *their_made, uintv their_places
#define MADE_MINE(i) const Made my_made = made_of(made, i);
#define MADE_OF_LIST , my_made, made, j
#if TILE
#define MADE_SPACE __local
#else
#define MADE_SPACE __global
#endif
#define MADE_TILE __local real tile_made[MADE * BANKED_ROOM(TILE_ATOMS + 1)];
#define MADE_DUMMY \
    for (uint n_ = 0; n_ < MADE; n_++) tile_made[PLACE(TILE_ATOMS) * MADE + n_] = 0;
#define MADE_OTHERS(count) real other_made[count][MADE];
#define MADE_LOAD(t, from) \
    for (uint n_ = 0; n_ < MADE; n_++) other_made[t][n_] = made[(from) * MADE + n_];
#define MADE_STORE(t, k) \
    for (uint n_ = 0; n_ < MADE; n_++) tile_made[PLACE(k) * MADE + n_] = other_made[t][n_];
#define MADE_OF_TILE , my_made, tile_made, j / (uint)sizeof(real4) // j counts bytes of positions

static inline Made made_of(__global const real *made, uint i) {
    Made mine;
SHORT_LOOP
    for (uint n = 0; n < MADE; n++) mine.m[n] = (realv)(made[i * MADE + n]);
    return mine;
}

// Those of VW places.
#define MADE_NUMBER(k) made[(k) * MADE + n]
ALWAYS_INLINE Made made_of_places(MADE_SPACE const real *made, uintv j) {
    Made theirs;
#if VW == 1 && MADE % 4 == 0 && !TILE
SHORT_LOOP
    for (uint n = 0; n < MADE; n += 4) {
        const real4 four = ((__global const real4 *)made)[(j * MADE + n) / 4];
        theirs.m[n] = four.x, theirs.m[n + 1] = four.y, theirs.m[n + 2] = four.z, theirs.m[n + 3] = four.w;
    }
#else
SHORT_LOOP
    for (uint n = 0; n < MADE; n++) theirs.m[n] = (realv)(GATHER(MADE_NUMBER));
#endif
    return theirs;
}
#else
#define MADE_ARGUMENT
#define MADE_ARRAY
#define MADE_PASSED
#define MADE_PARAMETERS
#define MADE_MINE(i)
#define MADE_OF_LIST
#define MADE_TILE
#define MADE_DUMMY
#define MADE_OTHERS(count)
#define MADE_LOAD(t, from)
#define MADE_STORE(t, k)
#define MADE_OF_TILE
#endif

// Instead of forces: how many pairs there are at which distances (accumulate.cl). Work-groups count in COUNT_COPIES places by turns.
#ifdef COUNT_PAIRS
#define COUNT_ARGUMENT , __global uint *restrict counts, real per_length
#define COUNT_NAMES , counts, per_length
#define COUNT_PARAMETERS , __global uint *counts, real per_length
#define COUNTS_OF_GROUP \
    counts + MODULO((uint)get_group_id(0), COUNT_COPIES) * (TYPES * TYPES * COUNT_PAIRS)
#define COUNT_OF_PAIRS , COUNTS_OF_GROUP, per_length
#else
#define COUNT_ARGUMENT
#define COUNT_NAMES
#define COUNT_PARAMETERS
#define COUNT_OF_PAIRS
#endif

// Pairs of special neighbours count by a weight.
#if defined(CHARGES) || defined(VELOCITIES)
#define WEIGHT_PARAMETER , real weight
#define FULL_WEIGHT , 1
#else
#define WEIGHT_PARAMETER
#define FULL_WEIGHT
#endif

#define INPUT_ARGUMENTS CHARGE_ARGUMENT VELOCITY_ARGUMENT MADE_ARGUMENT SLOTS_ARGUMENT FOUND_ARGUMENT OWN_ARGUMENT LONG_ARGUMENT COUNT_ARGUMENT
#define INPUT_NAMES CHARGE_PASSED VELOCITY_NAMES MADE_PASSED SLOTS_NAMES FOUND_PASSED OWN_NAME LONG_NAMES COUNT_NAMES
#define INPUT_ARRAYS CHARGE_ARRAY VELOCITY_ARRAY MADE_ARRAY
#define INPUT_PASSED CHARGE_PASSED VELOCITY_PASSED MADE_PASSED
#define INPUT_PARAMETERS WEIGHT_PARAMETER CHARGE_PARAMETERS VELOCITY_PARAMETERS MADE_PARAMETERS COUNT_PARAMETERS ROWS_PARAMETER
#define INPUT_MOMENT VELOCITY_MOMENT
#define OWN_INPUTS_PASSED(i) CHARGE_MINE(i) VELOCITY_MINE_PASSED(i) MADE_MINE(i)
#define OWN_INPUTS(i) CHARGE_MINE(i) VELOCITY_MINE(i) MADE_MINE(i)
#define INPUT_OF_LIST FULL_WEIGHT CHARGE_OF_LIST VELOCITY_OF_LIST MADE_OF_LIST COUNT_OF_PAIRS ROWS_PASSED
#define INPUT_TILE CHARGE_TILE VELOCITY_TILE MADE_TILE
#define INPUT_DUMMY CHARGE_DUMMY VELOCITY_DUMMY MADE_DUMMY
#define INPUT_OTHERS(count) CHARGE_OTHERS(count) VELOCITY_OTHERS(count) MADE_OTHERS(count)
#define INPUT_LOAD(t, from) CHARGE_LOAD(t, from) VELOCITY_LOAD(t, from) MADE_LOAD(t, from)
#define INPUT_STORE(t, k) CHARGE_STORE(t, k) VELOCITY_STORE(t, k) MADE_STORE(t, k)
#define INPUT_OF_TILE FULL_WEIGHT CHARGE_OF_TILE VELOCITY_OF_TILE MADE_OF_TILE COUNT_OF_PAIRS ROWS_PASSED

// The energy of an atom's charge by itself.
#if TALLY && defined(CHARGES) && defined(OWN_ENERGY)
static inline real own_energy(uint type, real q) {
    const real own[TYPES] = {OWN_ENERGY};
    return own[type - 1] * q * q;
}
#endif
#ifdef CHARGES
#define COULOMB_ARGUMENT , __global real *restrict coulomb
#define COULOMB_NAME , coulomb
#else
#define COULOMB_ARGUMENT
#define COULOMB_NAME
#endif
