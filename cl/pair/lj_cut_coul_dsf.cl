// lj/cut/coul/dsf (cl/pair/lj_cut_coul.cl comes before): damped shifted forces of charges
// c[7] to c[11] as of coul/dsf
static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[6], coarsely_damped_coulomb(rsq, lack, c + 7, energy), energy);
}
