// gauss/cut: E = top exp[-b (r - r0)^2] - shift
// c[0] = top, c[1] = r0, c[2] = b, c[3] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), dr = r - c[1];
    const realv e = c[0] * exp(-c[2] * dr * dr);
    *energy = e - c[3];
    return 2 * c[2] * dr * e / r;
}
