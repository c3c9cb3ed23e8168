// What pair styles see of atoms besides positions and types, after their files: charges, where one of them defines
// CHARGED. Each stands by place, beside the staged positions, dummies and copies of the box included
// (src/neighbor/seen.rs); styles that see nothing of it cost nothing.
//
// A charged style supplies, besides pair_eval,
//   realv coulomb_eval(realv rsq, real lack, const realv *c, realv *energy)
// F / r and E per product of two charges, which have the unit of (energy times distance)^(1/2). `lack` is the part that
// special_bonds takes away, 0 for most pairs; of what pair_eval gives they have the part `weight`, most of them 1.
//   OWN_ENERGY   per type, what an atom has by itself per square of its charge; none where it is not defined

#ifdef CHARGED
#define SEEN_ARGUMENTS , __global const real *restrict charge
#define SEEN_ARRAYS , __global const real *charge
#define SEEN_PASSED , charge
#define SEEN_PARAMETERS , realv qq, real weight, real lack
// The pair loop's own atom, the VW others of its list, and those of a chunk in a tile.
#define SEEN_MINE(i) const real my_charge = charge[i];
#define CHARGE_OF(k) charge[k]
#define SEEN_OF_LIST , my_charge * (realv)(GATHER(CHARGE_OF)), 1, 0
// The tile: beside each position in local memory.
#define SEEN_CROWD __local real crowd_charge[BANKED_ROOM(CROWD + 1)];
#define SEEN_DUMMY crowd_charge[PLACE(CROWD)] = 0;
#define SEEN_OTHERS(count) real other_charge[count];
#define SEEN_LOAD(t, from) other_charge[t] = charge[from];
#define SEEN_STORE(t, k) crowd_charge[PLACE(k)] = other_charge[t];
#define CROWD_CHARGE(k) crowd_charge[(k) / (uint)sizeof(real4)]
#define SEEN_OF_CROWD , my_charge * (realv)(GATHER(CROWD_CHARGE)), 1, 0
#else
#define SEEN_ARGUMENTS
#define SEEN_ARRAYS
#define SEEN_PASSED
#define SEEN_PARAMETERS
#define SEEN_MINE(i)
#define SEEN_OF_LIST
#define SEEN_CROWD
#define SEEN_DUMMY
#define SEEN_OTHERS(count)
#define SEEN_LOAD(t, from)
#define SEEN_STORE(t, k)
#define SEEN_OF_CROWD
#endif

// The Coulomb part of an atom's energy, of which the tallies have the sum with all else.
#if TALLY && defined(CHARGED)
#define COULOMB_SUM(sums) real3 coulombs = (real3)(SUM(sums.coulomb) / 2, 0, 0);
#ifdef OWN_ENERGY
static inline real own_energy(uint type, real q) {
    const real own[TYPES] = {OWN_ENERGY};
    return own[type - 1] * q * q;
}
#define ADD_OWN_ENERGY(tally_, type) { \
    const real own_ = own_energy(type, my_charge); \
    tally_.s0 += own_; \
    coulombs.x += own_; \
}
#else
#define ADD_OWN_ENERGY(tally_, type)
#endif
#define ADD_COULOMB(name, lane) ADD_LANES_3(name, coulombs, lane)
#define STORE_COULOMB(i) coulomb[i] = coulombs.x;
#else
#define COULOMB_SUM(sums)
#define ADD_OWN_ENERGY(tally_, type)
#define ADD_COULOMB(name, lane)
#define STORE_COULOMB(i)
#endif
#ifdef CHARGED
#define COULOMB_ARGUMENT , __global real *restrict coulomb
#else
#define COULOMB_ARGUMENT
#endif
