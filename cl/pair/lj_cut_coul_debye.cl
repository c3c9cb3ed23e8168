// lj/cut/coul/debye (cl/pair/lj_cut_coul.cl comes before): q q exp(-kappa r) / r
// c[7] = kappa
static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[6], screened_coulomb(rsq, lack, c[7], energy), energy);
}
