// eam, the last pass: E = sum of F(density) of atoms + phi of pairs, with r phi = z. It sees F' of both atoms. eam_exact.cl comes before.
// c[0] = rows per distance, c[1] = the last row, c[2] = a factor of the pair's energy and force
// c[3] = where rows begin in `samples`, as eam_exact.cl has them, c[4] = the same from the other atom's side
#define SAMPLED

ALWAYS_INLINE realv pair_eval(const realv rsq, const realv *c, __global const real *samples ROWS_PARAMETER,
                              const realv *mine, const realv *theirs, realv *energy) {
    const realv rinv = rsqrt(rsq), place = rsq * rinv * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
    return eam_exact(rinv, row, p, c, samples, c[3], c[4], mine[0], theirs[0], energy);
}
