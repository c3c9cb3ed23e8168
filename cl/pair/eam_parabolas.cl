// eam, the last pass, of tables in whose rows phi' is a parabola, as precisely as fp32 is; the density's slope is one. eam_exact.cl comes before.
// c[0] to c[2] are those of eam.cl; c[3] = the first of the rows of parabolas: before it, at short distances, and in fp64 the cubics hold
// c[4] = where rows begin in `samples`, c[5] = the same from the other atom's side: those of eam_exact.cl, then the parabolas, in eights of numbers:
//   three of the density's slope, three of phi', the highest power first. Work-groups may hold them in local memory (LOCAL_ROWS of samples.cl).
#define SAMPLED

ALWAYS_INLINE realv pair_eval(const realv rsq, const realv *c, __global const real *samples ROWS_PARAMETER,
                              const realv *mine, const realv *theirs, realv *energy) {
    const realv rinv = rsqrt(rsq), place = rsq * rinv * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
#ifdef DOUBLE
    return eam_exact(rinv, row, p, c, samples, c[4], c[5], mine[0], theirs[0], energy);
#else
    const realv first = c[3], at = fmax(row - first, (realv)(0));
#ifdef LOCAL_ROWS
    const Six own = local_row(local_rows, (uint)at);
    const realv slope = FMA(FMA(own.a, p, own.b), p, own.c), its_slope = slope;
#else
    const uintv behind = convert_uintv(c[1] + 1 + at);
    const Six own = six_of(samples, convert_uintv(c[4]) + behind);
    const realv slope = FMA(FMA(own.a, p, own.b), p, own.c);
    const realv its_slope = parabola_of(rows_of(samples, 2 * (convert_uintv(c[5]) + behind)), p);
#endif
    const realv phi_slope = FMA(FMA(own.d, p, own.e), p, own.f);
    realv force = -c[2] * FMA(mine[0], slope, FMA(theirs[0], its_slope, phi_slope)) * rinv;
#if TALLY
    *energy = eam_energy(rinv, row, p, c, samples, c[4]);
#endif
    if (ANY(row < first)) {
        realv its_energy;
        const realv exact = eam_exact(rinv, row, p, c, samples, c[4], c[5], mine[0], theirs[0], &its_energy);
        force = row < first ? exact : force;
    }
    return force;
#endif
}
