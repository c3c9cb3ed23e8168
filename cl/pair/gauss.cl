// gauss: E = -A exp(-B r^2) - shift
// c[0] = 2 A B, c[1] = A, c[2] = B, c[3] = shift
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv x = exp(-c[2] * rsq);
    *energy = FMA(-c[1], x, -c[3]);
    return -c[0] * x;
}
