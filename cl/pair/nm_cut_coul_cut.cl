// nm/cut/coul/cut: E = E0/(n - m) [m (r0/r)^n - n (r0/r)^m] - shift, and q q / r, each within its own cutoff
// c[0] to c[6] as of nm/cut, c[7] = cutoff^2 of the first, c[8] = cutoff^2 of the second
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv s = c[3] * rsqrt(rsq);
    const realv up = powr(s, c[4]), down = powr(s, c[5]);
    *energy = rsq < c[7] ? FMA(c[1], up, -c[2] * down) - c[6] : (realv)(0);
    return rsq < c[7] ? c[0] * (up - down) / rsq : (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    return coulomb_within(rsq, c[8], bare_coulomb(rsq, lack, energy), energy);
}
