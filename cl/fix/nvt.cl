// fix nvt where the device goes through the Nose-Hoover chain itself (cl/feedback.cl; src/fix/chain.rs is the twin).
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them, from NVT(p) on:
//   0..2      1 where a component of the velocity is thermal, else 0
//   3, 4, 5   links of the chain, parts of its half step, what each part multiplies the links' velocities by (drag)
//   6, 7, 8   degrees of freedom, kB, 1 / damping time
//   9         the target temperature of this step
//   10 + type the masses in energy units per velocity squared
// What it remembers, from h->memory on: factors of velocities before the first kick (0..2) and at the end of the step
// (3..5), the temperature (6), then positions of the links, velocities (one more, which stays 0), accelerations.
#define NVT(p) ((p) + TYPES + 1)
#define NVT_LINKS 7

static inline void nvt_initial(Atom *a, const Here *h) {
    a->v = a->v * vload3(0, h->memory) + h->p[a->type] * convert_accum3(a->f);
    a->x = drift(a->x, h->p[0] * a->v);
}

static inline void nvt_final(Atom *a, const Here *h) {
    a->v += h->p[a->type] * convert_accum3(a->f);
}

static inline void nvt_end(Atom *a, const Here *h) {
    a->v *= vload3(1, h->memory);
}

// An atom's part of m v v.
static inline accum nvt_measure(const Atom *a, const Here *h) {
    const accum3 v = a->v * vload3(0, NVT(h->p));
    return NVT(h->p)[10 + a->type] * (v.x * v.x + v.y * v.y + v.z * v.z);
}

// Half a step of the chain; returns the factor of the atoms' velocities, which the temperature s[6] follows.
static inline accum nvt_half_step(accum *s, __global const accum *p) {
    const int links = (int)NVT(p)[3], loops = (int)NVT(p)[4];
    const accum drag = NVT(p)[5], freedom = NVT(p)[6], kt = NVT(p)[7] * NVT(p)[9];
    const accum part = (accum)1 / loops, half_dt = (accum)0.5 * p[0];
    const accum quarter = (accum)0.25 * p[0], eighth = (accum)0.125 * p[0];
    const accum mass = kt / (NVT(p)[8] * NVT(p)[8]), first = freedom * mass;
    const accum target = freedom * kt;
    accum *x = s + NVT_LINKS, *v = x + links, *a = v + links + 1;
    accum kinetic = freedom * NVT(p)[7] * s[6], total = 1;
    a[0] = first > 0 ? (kinetic - target) / first : 0;
    for (int k = 0; k < loops; k++) {
        accum damping = 1;
        for (int i = links - 1; i >= 0; i--) {
            damping = exp(-part * eighth * v[i + 1]);
            v[i] *= damping;
            v[i] += a[i] * part * quarter;
            v[i] *= drag;
            v[i] *= damping;
        }
        const accum factor = exp(-part * half_dt * v[0]);
        total *= factor;
        kinetic *= factor * factor;
        a[0] = first > 0 ? (kinetic - target) / first : 0;
        for (int i = 0; i < links; i++) x[i] += part * half_dt * v[i];
        v[0] *= damping;
        v[0] += a[0] * part * quarter;
        v[0] *= damping;
        for (int i = 1; i < links; i++) {
            damping = exp(-part * eighth * v[i + 1]);
            v[i] *= damping;
            a[i] = ((i == 1 ? first : mass) * (v[i - 1] * v[i - 1]) - kt) / mass;
            v[i] += a[i] * part * quarter;
            v[i] *= damping;
        }
    }
    s[6] *= total * total;
    return total;
}

// The thermal components times a factor, the others as they are.
static inline void nvt_factors(accum *out, accum factor, __global const accum *p) {
    for (int d = 0; d < 3; d++) out[d] = NVT(p)[d] != 0 ? factor : 1;
}

// Before positions move.
static inline void nvt_before(accum *s, __global const accum *p) {
    nvt_factors(s, nvt_half_step(s, p), p);
}

// When velocities have followed the forces; `mvv` is the sum over the group.
static inline void nvt_after(accum *s, accum mvv, __global const accum *p) {
    s[6] = NVT(p)[6] > 0 ? mvv / (NVT(p)[6] * NVT(p)[7]) : 0;
    nvt_factors(s + 3, nvt_half_step(s, p), p);
}
