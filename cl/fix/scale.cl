// fix temp/berendsen and temp/rescale: velocities times a factor per component.

// By the host: the factors are p[0..2].
static inline void scale_velocity(Atom *a, const Here *h) {
    a->v *= vload3(0, h->p);
}

// By the device (cl/step/coupling.cl; the twin is src/fixes/temp_scale.rs), which reads
//   0..2      1 where a component of the velocity is thermal, else 0
//   3, 4, 5   degrees of freedom, kB, the target temperature of this step
//   6         1 at a step that scales
//   7         time step / relaxation time; 0 for temp/rescale, which has
//   8, 9      its window and its fraction
//   9 + type  the masses in energy units per velocity squared
// and remembers the factors (0..2), the energy taken (3), and 1 where atoms to be scaled were at rest (4).
static inline void scale_remembered(Atom *a, const Here *h) {
    a->v *= vload3(0, h->memory);
}

static inline void scale_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    const accum3 v = a->v * vload3(0, h->p);
    out[0] = h->p[9 + a->type] * (v.x * v.x + v.y * v.y + v.z * v.z);
}

static inline void scale_after(accum *s, const accum *sums, __global const accum *p, __global Box *box) {
    const accum now = sums[0] / (p[3] * p[4]);
    accum after = now;
    if (p[6] != 0 && p[3] >= 1) {
        if (now == 0) s[4] = 1;
        else if (p[7] > 0) after = now * (1 + p[7] * (p[5] / now - 1));
        else if (fabs(now - p[5]) > p[8]) after = now - p[9] * (now - p[5]);
        s[3] += (accum)0.5 * p[4] * p[3] * (now - after);
    }
    const accum factor = after == now ? 1 : sqrt(after / now);
    for (int d = 0; d < 3; d++) s[d] = p[d] != 0 ? factor : 1;
}
