// coul/dsf: E = q q [erfc(alpha r) / r - E' - r F'], with E' and F' so that energy and force end at zero; what
// special_bonds takes away is a part of the bare q q / r. erfc is M. Abramowitz and I. A. Stegun's, Handbook of
// Mathematical Functions, 7.1.26, to 1.5e-7, as in LAMMPS.
// c[0] = alpha, c[1] = E', c[2] = F', c[3] = 2 alpha / sqrt(pi)
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv rinv = 1 / r;
    const realv x = c[0] * r;
    const realv gauss = exp(-x * x);
    const realv t = 1 / FMA((realv)(NUMBER(0.3275911)), x, (realv)(1));
    realv series = FMA(t, (realv)(NUMBER(1.061405429)), (realv)(NUMBER(-1.453152027)));
    series = FMA(t, series, (realv)(NUMBER(1.421413741)));
    series = FMA(t, series, (realv)(NUMBER(-0.284496736)));
    series = FMA(t, series, (realv)(NUMBER(0.254829592)));
    const realv erfc_over_r = t * series * gauss * rinv;
    *energy = erfc_over_r - c[1] - r * c[2] - lack * rinv;
    return ((erfc_over_r + c[3] * gauss - lack * rinv) * rinv + c[2]) * rinv;
}
