// The chain on atoms where the device goes through it itself (cl/step/coupling.cl; the twin is src/fixes/chain.rs, which names the
// source): what fix nvt, npt and nvt/sllod share. Behind p[0] = dt and the kicks of the types stand, from NVT(p) on:
//   0..2      1 where a component of the velocity is thermal, else 0
//   3, 4, 5   links of the chain (0: no thermostat), parts of its half step, what each part multiplies the links'
//             velocities by (drag)
//   6, 7, 8   degrees of freedom, kB, 1 / damping time
//   9         the target temperature of this step
//   10 + type the masses in energy units per velocity squared
// What it remembers, from h->memory on: factors of velocities before the first kick (0..2) and at the end of the step
// (3..5), the temperature (6), then positions of the links, velocities (one more, which stays 0), accelerations.
#define NVT(p) ((p) + TYPES + 1)
#define NVT_LINKS 7

// The exponential, for which small numbers do not need a function: one work-item takes it a dozen times per step, each after the one
// before, and everyone waits. The rest of the series is below the last digit.
CALLED accum large_growth_by(accum x) {
    return exp(x);
}
static inline accum growth_by(accum x) {
    if (!(fabs(x) < (accum)0.05)) return large_growth_by(x);
    const accum high = fma(x, fma(x, fma(x, (accum)(1.0 / 40320), (accum)(1.0 / 5040)), (accum)(1.0 / 720)), (accum)(1.0 / 120));
    return fma(x, fma(x, fma(x, fma(x, fma(x, high, (accum)(1.0 / 24)), (accum)(1.0 / 6)), (accum)0.5), 1), 1);
}

// Half a step of a chain on degrees of freedom with twice the kinetic energy `kinetic`, which is to become `target`;
// `first` and `mass` are the masses of its first link and of the others. Returns the factor of their velocities.
CALLED accum chain_half_step(accum *x, int links, int loops, accum drag, accum dt, accum kinetic, accum target,
                                    accum kt, accum first, accum mass) {
    const accum part = (accum)1 / loops, half_dt = (accum)0.5 * dt;
    const accum quarter = (accum)0.25 * dt, eighth = (accum)0.125 * dt;
    accum *v = x + links, *a = v + links + 1;
    const accum per_first = first > 0 ? 1 / first : 0, per_mass = 1 / mass;
    accum total = 1;
    a[0] = (kinetic - target) * per_first;
ROLLED
    for (int k = 0; k < loops; k++) {
        accum damping = 1;
ROLLED
        for (int i = links - 1; i >= 0; i--) {
            damping = growth_by(-part * eighth * v[i + 1]);
            v[i] *= damping;
            v[i] += a[i] * part * quarter;
            v[i] *= drag;
            v[i] *= damping;
        }
        const accum factor = growth_by(-part * half_dt * v[0]);
        total *= factor;
        kinetic *= factor * factor;
        a[0] = (kinetic - target) * per_first;
ROLLED
        for (int i = 0; i < links; i++) x[i] += part * half_dt * v[i];
        v[0] *= damping;
        v[0] += a[0] * part * quarter;
        v[0] *= damping;
ROLLED
        for (int i = 1; i < links; i++) {
            damping = growth_by(-part * eighth * v[i + 1]);
            v[i] *= damping;
            a[i] = ((i == 1 ? first : mass) * (v[i - 1] * v[i - 1]) - kt) * per_mass;
            v[i] += a[i] * part * quarter;
            v[i] *= damping;
        }
    }
    return total;
}

// That of the chain on the atoms; returns the factor of their velocities, which the temperature s[6] follows.
static inline accum nvt_half_step(accum *s, __global const accum *p) {
    const accum freedom = NVT(p)[6], kt = NVT(p)[7] * NVT(p)[9];
    const accum mass = kt / (NVT(p)[8] * NVT(p)[8]);
    const accum factor = chain_half_step(s + NVT_LINKS, (int)NVT(p)[3], (int)NVT(p)[4], NVT(p)[5], p[0],
                                         freedom * NVT(p)[7] * s[6], freedom * kt, kt, freedom * mass, mass);
    s[6] *= factor * factor;
    return factor;
}

// The thermal components times a factor, the others as they are.
static inline void nvt_factors(accum *out, accum factor, __global const accum *p) {
    for (int d = 0; d < 3; d++) out[d] = NVT(p)[d] != 0 ? factor : 1;
}

// Before positions move.
static inline void nvt_before(accum *s, __global const accum *p, __global Box *box) {
    nvt_factors(s, nvt_half_step(s, p), p);
}

// When velocities have followed the forces; sums[0] is m v v over the group.
static inline void nvt_after(accum *s, const accum *sums, __global const accum *p, __global Box *box) {
    s[6] = NVT(p)[6] > 0 ? sums[0] / (NVT(p)[6] * NVT(p)[7]) : 0;
    nvt_factors(s + 3, nvt_half_step(s, p), p);
}
