// hybrid and hybrid/overlay: the sum of several styles, each within its own cutoff (src/potentials/pair/hybrid.rs)
// PARTS: PART(evaluate, at) for each of them, CHARGED_PARTS for those with charges, FRICTION_PARTS for those with
// friction; c[at] = cutoff^2, 0 where a pair of types has another style, and from c[at + 1] on what the style itself reads
#ifdef ANY_SAMPLED
#define SAMPLED
#define SAMPLES __global const real *samples,
#else
#define SAMPLES
#endif

#define PART(evaluate, at) { \
    realv e; \
    const realv f = evaluate(c + at + 1, &e); \
    force += rsq < c[at] ? f : (realv)(0); \
    sum += rsq < c[at] ? e : (realv)(0); \
}

static inline realv pair_eval(const realv rsq, const realv *c, SAMPLES realv *energy) {
    realv force = 0, sum = 0;
    PARTS
    *energy = sum;
    return force;
}

#ifdef CHARGES
static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, realv *energy) {
    realv force = 0, sum = 0;
    CHARGED_PARTS
    *energy = sum;
    return force;
}
#endif

#ifdef VELOCITIES
static inline realv friction_eval(const realv rsq, const realv *c, realv *noise) {
    realv force = 0, sum = 0;
    FRICTION_PARTS
    *noise = sum;
    return force;
}
#endif
