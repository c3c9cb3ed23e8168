// Coulomb forces that several pair styles have (before the files of pair styles): F / r and E per product of two charges, of which special_bonds
// takes away a part `lack`.

// A force and its energy within a cutoff of their own.
static inline realv coulomb_within(const realv rsq, const realv cutsq, const realv force, realv *energy) {
    *energy = rsq < cutsq ? *energy : (realv)(0);
    return rsq < cutsq ? force : (realv)(0);
}

// 1 / r.
static inline realv bare_coulomb(const realv rsq, const real lack, realv *energy) {
    const realv rinv = 1 / sqrt(rsq);
    *energy = (1 - lack) * rinv;
    return *energy * (rinv * rinv);
}

// exp(-kappa r) / r.
static inline realv screened_coulomb(const realv rsq, const real lack, const realv kappa, realv *energy) {
    const realv r = sqrt(rsq), rinv = 1 / r;
    *energy = (1 - lack) * exp(-kappa * r) * rinv;
    return *energy * (kappa + rinv) * rinv;
}

// erfc(alpha r) / r - E' - r F', with E' and F' so that energy and force end at zero; what is taken away is a part of the bare 1 / r.
// Its numbers: c[0] = alpha, c[1] = E', c[2] = F' of the force, c[3] = 2 alpha / sqrt(pi), c[4] = F' of the energy, 0 in Wolf's
static inline realv damped_by(const realv r, const realv erfc_of, const realv gauss, const real lack, const realv *c, realv *energy) {
    const realv rinv = 1 / r, erfc_over_r = erfc_of * rinv;
    *energy = erfc_over_r - c[1] - r * c[4] - lack * rinv;
    return ((erfc_over_r + c[3] * gauss - lack * rinv) * rinv + c[2]) * rinv;
}
static inline realv damped_coulomb(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), x = c[0] * r;
    return damped_by(r, erfc(x), exp(-x * x), lack, c, energy);
}

// The same with M. Abramowitz and I. A. Stegun's erfc, Handbook of Mathematical Functions, 7.1.26, to 1.5e-7, which LAMMPS has in some styles.
static inline realv coarsely_damped_coulomb(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), x = c[0] * r, gauss = exp(-x * x);
    const realv t = 1 / FMA((realv)(NUMBER(0.3275911)), x, (realv)(1));
    realv series = FMA(t, (realv)(NUMBER(1.061405429)), (realv)(NUMBER(-1.453152027)));
    series = FMA(t, series, (realv)(NUMBER(1.421413741)));
    series = FMA(t, series, (realv)(NUMBER(-0.284496736)));
    series = FMA(t, series, (realv)(NUMBER(0.254829592)));
    return damped_by(r, t * series * gauss, gauss, lack, c, energy);
}
