// lj/cut/coul/cut/soft: E = 4 eps lambda^n (1/s^2 - 1/s) - shift with s = alpha (1 - lambda)^2 + (r/sigma)^6, and lambda^n q q / sqrt(r^2 + a),
// each within its own cutoff
// c[0] to c[4] as of lj/cut/soft, c[5] = cutoff^2 of the first, c[6] = cutoff^2 of the second, c[7] = lambda^n, c[8] = a
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r4 = rsq * rsq;
    const realv sinv = 1 / FMA(r4 * rsq, c[1], c[0]);
    *energy = rsq < c[5] ? FMA(c[3] * sinv, sinv - 1, -c[4]) : (realv)(0);
    return rsq < c[5] ? c[2] * r4 * sinv * sinv * (2 * sinv - 1) : (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    const realv force = c[7] * bare_coulomb(rsq + c[8], lack, energy);
    *energy *= c[7];
    return coulomb_within(rsq, c[6], force, energy);
}
