// harmonic/cut: E = K (cutoff - r)^2 - shift
// c[0] = K, c[1] = cutoff, c[2] = shift, which is 0
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq);
    const realv push = c[0] * (c[1] - r);
    *energy = FMA(push, c[1] - r, -c[2]);
    // Atoms on one spot do not know where to go: the least r is one that leaves a finite number.
    return 2 * push / fmax(r, (realv)(1e-18f));
}
