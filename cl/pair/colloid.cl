// colloid: E of two atoms, of an atom and a sphere, or of two spheres, - shift
// c[0] = the larger radius, c[1] = the smaller one, c[4] = shift; of two atoms c[2] = A sigma^6 / 36, c[3] = sigma^6, of an atom and a sphere
// c[2] = 2/9 A (radius sigma)^3, c[3] = sigma^6 / 15, of two spheres c[2] = A, c[3] = sigma^6 / 37800

// Two atoms: as lj/cut.
static inline realv of_atoms(const realv rsq, const realv *c, realv *energy) {
    const realv r2inv = 1 / rsq;
    const realv r6inv = r2inv * r2inv * r2inv;
    *energy = c[2] * r6inv * FMA(c[3], r6inv, (realv)(-1));
    return c[2] * r6inv * FMA(12 * c[3], r6inv, (realv)(-6)) * r2inv;
}

// An atom and a sphere.
static inline realv of_atom_and_sphere(const realv rsq, const realv *c, realv *energy) {
    const realv a2 = c[0] * c[0], a4 = a2 * a2, d = 1 / (a2 - rsq);
    const realv d3 = d * d * d;
    const realv series = FMA(FMA(FMA((realv)(15), rsq, 63 * a2), rsq, 45 * a4), rsq, 5 * a2 * a4);
    const realv slope = FMA(FMA((realv)(45), rsq, 126 * a2), rsq, 45 * a4);
    const realv repulsion = c[3] * d3 * d3;
    *energy = c[2] * d3 * (1 - repulsion * series);
    return -2 * c[2] * d3 * FMA((realv)(3), d, -repulsion * FMA(9 * series, d, slope));
}

// The row N / D^7 of the repulsion of two spheres with D = r + distance, and its slope.
static inline realv sphere_row(const realv r, const realv distance, const realv rest, realv *slope) {
    const realv end = 1 / (r + distance);
    const realv end3 = end * end * end;
    const realv end7 = end3 * end3 * end, row = FMA(r, r + 7 * distance, rest);
    *slope = (2 * r + 7 * distance - 7 * row * end) * end7;
    return row * end7;
}

// Two spheres.
static inline realv of_spheres(const realv rsq, const realv *c, realv *energy) {
    const realv r = sqrt(rsq), product = c[0] * c[1], sum = c[0] + c[1], difference = c[0] - c[1];
    const realv close = 1 / ((r - sum) * (r + sum)), apart = 1 / ((r - difference) * (r + difference));
    const realv pull = c[2] * product * (close - apart) * (close - apart) * (realv)(NUMBER(-0.66666666666666666667));
    const realv squares = FMA(c[0], c[0], c[1] * c[1]);
    const realv like = 6 * (squares + 7 * product), unlike = 6 * (squares - 7 * product);
    realv s0, s1, s2, s3;
    const realv row = sphere_row(r, -sum, like, &s0) + sphere_row(r, sum, like, &s1) - sphere_row(r, difference, unlike, &s2)
        - sphere_row(r, -difference, unlike, &s3);
    const realv slope = s0 + s1 - s2 - s3, factor = c[2] * c[3], rinv = 1 / r;
    const realv attraction = c[2] * (realv)(NUMBER(-0.16666666666666666667)) * FMA(2 * product, close + apart, log(apart / close));
    *energy = FMA(factor * row, rinv, attraction);
    return FMA(factor * FMA(row, rinv, -slope), rinv * rinv, pull);
}

static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    realv e0, e1, e2;
    const realv f0 = of_atoms(rsq, c, &e0), f1 = of_atom_and_sphere(rsq, c, &e1), f2 = of_spheres(rsq, c, &e2);
    const realv reach = c[0] + c[1];
    // Of spheres that overlap there is no force to tell: let the run notice.
    const realv e = (c[0] > 0 ? (c[1] > 0 ? e2 : e1) : e0) - c[4], f = c[0] > 0 ? (c[1] > 0 ? f2 : f1) : f0;
    *energy = rsq > reach * reach ? e : (realv)(NAN);
    return rsq > reach * reach ? f : (realv)(NAN);
}
