// vashishta, pairs: E = H/r^eta + q exp(-r/l1)/r - D exp(-r/l4)/r^4 - W/r^6 - s r + t, which ends at the cutoff with its slope
// c[0] = H, c[1] = eta, c[2] = q, c[3] = 1/l1, c[4] = D, c[5] = 1/l4, c[6] = W, c[7] = s, c[8] = t
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv rinv = rsqrt(rsq), r = rsq * rinv, r2inv = rinv * rinv, r4inv = r2inv * r2inv;
    const realv steric = c[0] * powr(rinv, c[1]), charges = c[2] * rinv * exp(-r * c[3]);
    const realv dipoles = c[4] * r4inv * exp(-r * c[5]), dispersion = c[6] * r2inv * r4inv;
    *energy = steric + charges - dipoles - dispersion - c[7] * r + c[8];
    return (FMA(c[1], steric, charges) - FMA((realv)(4), dipoles, 6 * dispersion)) * r2inv +
           (FMA(charges, c[3], -dipoles * c[5]) + c[7]) * rinv;
}
