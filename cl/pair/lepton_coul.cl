// lepton/coul: E = q q f(r), of which the script gives f
// Before it stand the functions of the formulas (src/potentials/lepton.rs), which read their coefficients from c[1] on.
// c[0] = which formula
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

#define LEPTON_OTHER(k, name) { \
    realv other; \
    const realv pull = name(rsq, c, &other); \
    e = c[0] == k ? other : e; \
    f = c[0] == k ? pull : f; \
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    realv e;
    realv f = LEPTON_FIRST(rsq, c, &e);
    LEPTON_OTHERS
    *energy = (1 - lack) * e;
    return (1 - lack) * f;
}
#undef LEPTON_OTHER
