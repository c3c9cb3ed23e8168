// Lennard-Jones beside Coulomb forces, each within its own cutoff: E = 4 eps [(sigma/r)^12 - (sigma/r)^6] - shift. A file with these forces
// comes behind. c[0] = 48 eps sigma^12, c[1] = 24 eps sigma^6, c[2] = 4 eps sigma^12, c[3] = 4 eps sigma^6, c[4] = shift,
// c[5] = cutoff^2 of this, c[6] = cutoff^2 of the others
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    *energy = rsq < c[5] ? r6inv * FMA(c[2], r6inv, -c[3]) - c[4] : (realv)(0);
    return rsq < c[5] ? r6inv * FMA(c[0], r6inv, -c[1]) * r2inv : (realv)(0);
}
