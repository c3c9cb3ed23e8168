// No potential: two numbers per pair of types, which are added up over all pairs within the cutoff (src/output/kernel_cost.rs), one as
// the energy, the other as the trace of the virial.
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    *energy = c[0];
    return c[1] / rsq;
}
