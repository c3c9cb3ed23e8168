// adp, first pass: the density that others make at an atom, the dipole mu = sum u d and the quadrupole L = sum w d d, d the ways to them.
// Its energy is F(density) (cl/pair/eam_embedding.cl comes before) + mu.mu/2 + L:L/2 - (tr L)^2/6. It leaves F', mu, L (xx yy zz xy xz yz),
// tr L, and a place for nothing. c[0] = rows per distance, c[1] = the last row
// c[8] = where rows of the density, u, w, and nothing begin in `samples`, in eights of numbers
static inline void pass_eval(realv dx, realv dy, realv dz, realv rsq, const realv *c, __global const real *samples,
                             realv *added) {
    const realv place = sqrt(rsq) * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
    const uintv at = 2 * convert_uintv(c[8]) + 4 * convert_uintv(row);
    const realv u = -cubic_of(rows_of(samples, at + 1), p), w = cubic_of(rows_of(samples, at + 2), p);
    const realv x = w * dx, y = w * dy, z = w * dz;
    added[0] = cubic_of(rows_of(samples, at), p);
    added[1] = u * dx, added[2] = u * dy, added[3] = u * dz;
    added[4] = x * dx, added[5] = y * dy, added[6] = z * dz, added[7] = x * dy, added[8] = x * dz, added[9] = y * dz;
}

static inline bool pass_end(const real *sums, const real *c, __global const real *samples, real *made,
                            real *energy) {
    const real f = embedded(sums[0], c, samples, made);
    const real *mu = sums + 1, *l = sums + 4;
    const real trace = l[0] + l[1] + l[2];
    const real dipole = FMA(mu[0], mu[0], FMA(mu[1], mu[1], mu[2] * mu[2]));
    const real diagonal = FMA(l[0], l[0], FMA(l[1], l[1], l[2] * l[2])), others = FMA(l[3], l[3], FMA(l[4], l[4], l[5] * l[5]));
    for (uint k = 1; k < 10; k++) made[k] = sums[k];
    made[10] = trace;
    *energy = f + (dipole + diagonal) / 2 + others - trace * trace / 6;
    return sums[0] > c[6];
}
