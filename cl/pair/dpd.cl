// dpd: E = A cut w^2 / 2 with w = 1 - r/cut; friction -gamma w^2 (r v)/r and noise sigma w along r
// c[0] = A, c[1] = cut, c[2] = gamma, c[3] = sigma in units of noise
static inline realv pair_eval(const realv rsq, const realv *c, realv *energy) {
    const realv r = fmax(sqrt(rsq), (realv)(NUMBER(1e-10)));
    const realv w = 1 - r / c[1];
    *energy = c[0] * c[1] * w * w / 2;
    return c[0] * w / r;
}

static inline realv friction_eval(const realv rsq, const realv *c, realv *noise) {
    const realv r = fmax(sqrt(rsq), (realv)(NUMBER(1e-10)));
    const realv w_over_r = (1 - r / c[1]) / r;
    *noise = c[3] * w_over_r;
    return -c[2] * w_over_r * w_over_r;
}
