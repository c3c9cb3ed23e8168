// coul/shield: E = Tap(r) q q / (r^3 + 1 / lambda^3)^(1/3) of atoms of different molecules; none within a molecule
// c[0] = 1 / lambda^3, c[1] = 1 / cutoff, or 0 without the taper, c[2] = 1, or 0 where lambda is 0; mine[0], theirs[0] the molecules
#define COULOMB_OF_ATOMS
static inline realv pair_eval(const realv rsq, const realv *c, const realv *mine, const realv *theirs, realv *energy) {
    *energy = (realv)(0);
    return (realv)(0);
}

static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, const realv *mine, const realv *theirs,
                                 realv *energy) {
    const realv r = sqrt(rsq), cube = FMA(rsq, r, c[0]), x = r * c[1], xx = x * x, left = 1 - x;
    const realv part = mine[0] != theirs[0] ? c[2] * (1 - lack) : (realv)(0);
    const realv shielded = part * pow(cube, (realv)(NUMBER(-1.0) / 3));
    // As a product, which loses nothing near the cutoff.
    const realv taper = left * left * (left * left) * FMA(x, FMA(x, FMA(x, (realv)(20), (realv)(10)), (realv)(4)), (realv)(1));
    *energy = shielded * taper;
    return shielded * FMA(taper, r / cube, 140 * c[1] * c[1] * xx * left * left * left);
}
