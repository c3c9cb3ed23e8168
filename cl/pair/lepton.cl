// lepton: E = a formula of the script - shift
// Before it stand the functions of the formulas (src/potentials/lepton.rs), which read their coefficients from c[2] on.
// c[0] = shift, c[1] = which formula
#define LEPTON_OTHER(k, name) { \
    realv other; \
    const realv pull = name(rsq, c, &other); \
    e = c[1] == k ? other : e; \
    f = c[1] == k ? pull : f; \
}

static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    realv e;
    realv f = LEPTON_FIRST(rsq, c, &e);
    LEPTON_OTHERS
    *energy = e - c[0];
    return f;
}
#undef LEPTON_OTHER
