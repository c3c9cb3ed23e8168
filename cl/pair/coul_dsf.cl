// coul/dsf: damped shifted forces of charges (coarsely_damped_coulomb of cl/force/coulomb.cl)
// c[0] to c[4] as there
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coarsely_damped_coulomb(rsq, lack, c, energy);
}
