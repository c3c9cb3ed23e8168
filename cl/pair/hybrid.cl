// hybrid, hybrid/overlay, hybrid/scaled: the sum of several styles, each within its own cutoff (src/potentials/pair/hybrid.rs)
// PARTS: PART(evaluate, at, made, times) for each of them, VECTOR_PARTS the same of forces that are not along the line between atoms,
// CHARGED_PARTS for those with charges, FRICTION_PARTS for those with friction; c[at] = cutoff^2, 0 where a pair of types has another
// style, and from c[at + 1] on what the style itself reads; `made` is where its own begin among the numbers that passes before this one
// have made of each atom, or the script gives; `times` is `FACTOR *` in hybrid/scaled, else nothing
#ifdef ANY_SAMPLED
#define SAMPLED
#define SAMPLES __global const real *samples,
#else
#define SAMPLES
#endif

#define PART(evaluate, at, made, times) { \
    realv e; \
    const realv f = evaluate(c + at + 1, made, &e); \
    force += rsq < c[at] ? times f : (realv)(0); \
    sum += rsq < c[at] ? times e : (realv)(0); \
}
#define FRICTION_PART(evaluate, at, times) { \
    realv e; \
    const realv f = evaluate(c + at + 1, &e); \
    force += rsq < c[at] ? times f : (realv)(0); \
    sum += rsq < c[at] ? times e : (realv)(0); \
}
#ifdef MADE
#define COULOMB_OF_ATOMS
#define MADE_BEFORE const realv *mine, const realv *theirs,
#else
#define MADE_BEFORE
#endif

static inline realv pair_eval(const realv rsq, const realv *c, SAMPLES MADE_BEFORE realv *energy) {
    realv force = 0, sum = 0;
    PARTS
    *energy = sum;
    return force;
}

#ifdef ANY_VECTOR_FORCES
#define VECTOR_FORCES
#define VECTOR_PART(evaluate, at, made, times) { \
    realv g[4] = {0, 0, 0, 0}; \
    evaluate(c + at + 1, made, g); \
    for (uint k = 0; k < 4; k++) f[k] += rsq < c[at] ? times g[k] : (realv)(0); \
}
static inline void pair_vector(realv dx, realv dy, realv dz, realv rsq, const realv *c, SAMPLES const realv *mine,
                               const realv *theirs, realv *f) {
    VECTOR_PARTS
}
#endif

#ifdef CHARGES
static inline realv coulomb_eval(const realv rsq, const real lack, const realv *c, MADE_BEFORE realv *energy) {
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
