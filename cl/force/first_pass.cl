// The pass over the neighbours that comes before the last one, for forces of many bodies. It stands after pairs.cl, in the place of
// accumulate.cl. Of each atom it makes PASS_MADE numbers and an energy. The last pass sees the numbers of both atoms of a pair (MADE of
// pair_inputs.cl). A style supplies two functions in cl/pair/<style>.cl. One says what VW pairs add to PASS_SUMS sums.
//   void pass_eval(realv dx, realv dy, realv dz, realv rsq, const realv *c, const real *samples, realv *added)
// The other says what follows from the sums of an atom, and whether they go beyond its tables. Its c are the numbers of a pair of the
// atom's own type.
//   bool pass_end(const real *sums, const real *c, const real *samples, real *made, real *energy)
//   PASS_INDEX   which of all passes this is
//   PASS_FACTOR  which of c is a factor of the energy (hybrid/scaled)
//   PASS_WIDTH   numbers per atom that all styles of a hybrid make
//   PASS_FIRST   the first of these that is this style's

typedef struct {
    realv s[PASS_SUMS];
} Sums;

static inline void add_pairs(Sums *sums, realv dx, realv dy, realv dz, Numbers numbers, minev mine, uintv theirs,
                             __global const real *table LISTED_PARAMETER) {
    const realv rsq = LISTED_ONLY(FMA(dz, dz, FMA(dy, dy, dx * dx)), numbers.cutsq);
    RETURN_UNLESS(rsq < numbers.cutsq)
    realv added[PASS_SUMS];
    pass_eval(dx, dy, dz, rsq, numbers.c, table + SAMPLES_AT, added);
SHORT_LOOP
    for (uint k = 0; k < PASS_SUMS; k++) {
        ZERO_BEYOND(added[k], rsq, numbers.cutsq)
        sums->s[k] += added[k];
    }
}

// Leaves what follows from an atom's sums, beside all copies of its position.
static inline void finish_pass(uint i, const real *sums, uint type, __global const real *table, __global real *made,
                               __global real *own, uint stride, BOX_SPACE const Box *box, __global uint *status) {
    real row[COEFFICIENTS + 1];
    for (uint k = 0; k <= COEFFICIENTS; k++) row[k] = table[ROW_BEGIN(type, type) + ROW_ENTRY(k)];
    real numbers[PASS_MADE], energy = 0;
    for (uint k = 0; k < PASS_MADE; k++) numbers[k] = 0;
    // Else the type has no part in this style.
    if (row[0] > 0 && pass_end(sums, row + 1, table + SAMPLES_AT, numbers, &energy)) atomic_max(&status[STATUS_DENSE], 1u);
#ifdef PASS_FACTOR // the numbers are not: forces that the last pass makes of them are
    energy *= row[1 + PASS_FACTOR];
#endif
    const uint copies = box->replicas[0] * box->replicas[1] * box->replicas[2];
    for (uint r = 0; r < copies; r++) {
        const uint at = (r * stride + i) * PASS_WIDTH + PASS_FIRST;
#if PASS_MADE % 4 == 0 && PASS_WIDTH % 4 == 0 && PASS_FIRST % 4 == 0
        for (uint k = 0; k < PASS_MADE; k += 4) ((__global real4 *)made)[(at + k) / 4] = vload4(0, numbers + k);
#else
        for (uint k = 0; k < PASS_MADE; k++) made[at + k] = numbers[k];
#endif
    }
#if PASS_INDEX > 0
    energy += own[i];
#endif
    own[i] = energy;
}

// What other files would define.
#define INPUT_ARGUMENTS
#define INPUT_NAMES
#define INPUT_OF_LIST
#define INPUT_OF_TILE
#define OWN_INPUTS(i)
#define OWN_INPUTS_PASSED(i)
#define INPUT_MOMENT
#define INPUT_ARRAYS
#define INPUT_PASSED
#define INPUT_TILE
#define INPUT_DUMMY
#define INPUT_OTHERS(count)
#define INPUT_LOAD(t, from)
#define INPUT_STORE(t, k)
#define COUNT_OF_PAIRS
#define PARKED_SUMS(size)
#define PARKED_ARGUMENTS
#define PARKED_NAMES
#define PARK_SUMS

#define PAIR_KERNEL first_pass
#ifdef MARKS_LEFT
#define FOUND_TO , __global uint *restrict marks
#define FOUND_NAMES , marks
#elif defined(NEAR_LEFT)
#define FOUND_TO , __global uint *restrict near_place, __global uint *restrict near_count, uint near_room
#define FOUND_NAMES , near_place, near_count, near_room
#else
#define FOUND_TO
#define FOUND_NAMES
#endif
#define OUTPUT_ARGUMENTS \
    __global real *restrict made FOUND_TO, __global real *restrict own, __global uint *restrict status, uint step
#define OUTPUT_NAMES made FOUND_NAMES, own, status, step

//= piece lane_space
    LANE_SUMS(pass_sums, 1)
//= end
//= piece lane_totals
    real total[PASS_SUMS];
    for (uint t = 0; t < PASS_SUMS; t++) {
        total[t] = SUM(sums.s[t]);
        ADD_LANES(1, pass_sums, total[t], lane)
    }
//= end
//= piece cluster_sums
        real sum[PASS_SUMS][CLUSTER];
        for (uint t = 0; t < PASS_SUMS; t++) STORE_FOUR(s[t], sum[t])
//= end
//= piece atom_totals
            real total[PASS_SUMS];
            for (uint t = 0; t < PASS_SUMS; t++) total[t] = sum[t][k];
//= end
//= piece other_forces
//= end
//= piece output
        finish_pass(i, total, my_type, table, made, own, stride, box, status);
//= end
