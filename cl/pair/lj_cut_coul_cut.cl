// lj/cut/coul/cut (cl/pair/lj_cut_coul.cl comes before): q q / r
static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[6], bare_coulomb(rsq, lack, energy), energy);
}
