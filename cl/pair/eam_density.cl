// eam, first pass: the density that others make at an atom. Its energy F and F' follow from that (cl/pair/eam_embedding.cl comes before).
// c[0] = rows per distance, c[1] = the last row
// c[7] = a factor of its energy
// c[8] = where the density's rows begin in `samples`, in eights of numbers
static inline void pass_eval(realv dx, realv dy, realv dz, realv rsq, const realv *c, __global const real *samples,
                             realv *added) {
    const realv place = sqrt(rsq) * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
    added[0] = cubic_of(rows_of(samples, 2 * convert_uintv(c[8]) + convert_uintv(row)), p);
}

static inline bool pass_end(const real *sums, const real *c, __global const real *samples, real *made,
                            real *energy) {
    *energy = c[7] * embedded(sums[0], c, samples, made);
    return sums[0] > c[6];
}
