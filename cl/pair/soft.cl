// soft: E = A [1 + cos(pi r / cutoff)] - shift
// c[0] = A, c[1] = 1/cutoff, c[2] = shift, c[3] = A pi / cutoff
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    // Atoms on one spot are fine here: the force is zero, not 0/0.
    const realv r = fmax(sqrt(rsq), (realv)(1e-18f));
    *energy = FMA(c[0], cospi(r * c[1]), c[0]) - c[2];
    return c[3] * sinpi(r * c[1]) / r;
}
