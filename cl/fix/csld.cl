// fix temp/csld: velocities become c1 v + c2 w, w normal with the variance 1 / mass (src/fixes/temp_csld.rs).
//   p[0..2]     1 where a component of the velocity is thermal, else 0
//   p[3..5]     degrees of freedom, kB, the target temperature of this step
//   p[6], p[7]  exp(-time step / relaxation time), the step
//   p[8..10]    the seed: its lower and upper 16 bits; what the numbers are for
//   p[11], p[12]   c1 and c2, where the host finds them
//   p[12 + type]   the masses in energy units per velocity squared
// Where the device finds c1 and c2 (cl/step/coupling.cl) it remembers them (0, 1), the energy taken
// (2) and the step (3).
static inline accum3 csld_noise(const Atom *a, const Here *h, accum step) {
    const uint2 key = (uint2)((uint)h->p[8] | (uint)h->p[9] << 16, (uint)h->p[10]);
    return normal_of_atom(a->tag, (long)step, key);
}

static inline void csld_apply(Atom *a, const Here *h, accum kept, accum new, accum step) {
    const accum3 thermal = vload3(0, h->p);
    const accum3 mixed = kept * a->v + new / sqrt(h->p[12 + a->type]) * csld_noise(a, h, step);
    a->v += thermal * (mixed - a->v);
}

static inline void csld_velocity(Atom *a, const Here *h) {
    csld_apply(a, h, h->p[11], h->p[12], h->p[7]);
}

static inline void csld_remembered(Atom *a, const Here *h) {
    if (h->memory[1] != 0) csld_apply(a, h, h->memory[0], h->memory[1], h->memory[3]);
}

// Twice the kinetic energy, of velocities, of both and of the noise.
static inline void csld_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    const accum mass = h->p[12 + a->type];
    const accum3 v = a->v * vload3(0, h->p), w = csld_noise(a, h, h->p[7]) * vload3(0, h->p);
    out[0] = mass * dot(v, v);
    out[1] = sqrt(mass) * dot(v, w);
    out[2] = dot(w, w);
}

static inline void csld_after(accum *s, const accum *sums, __global const accum *p, __global Box *box) {
    const accum wanted = (1 - p[6] * p[6]) * p[5] * p[3] * p[4];
    const bool able = p[3] >= 1 && sums[2] > 0;
    s[0] = able ? p[6] : 1;
    s[1] = able ? sqrt(wanted / sums[2]) : 0;
    s[2] += (accum)0.5 * (sums[0] - (s[0] * s[0] * sums[0] + 2 * s[0] * s[1] * sums[1] + s[1] * s[1] * sums[2]));
    s[3] = p[7];
}
