// fix langevin gjf: drag and noise as a way to move atoms, around the kicks of the fix nve that comes after it. With the
// kick k = dt f / 2 m of half a step, c = dt / (2 damp) and the noise w of the step, as a kick too,
//   before positions move   u = (v + k + w) / (1 + c), with which they do
//   after the forces        v = (1 - c) u + k' + w
// Instead of v, which lags behind the temperature in long steps, u sqrt(1 + c) may be what is kept and seen from outside:
// v follows from it, with the noise of the step before.
//   p[0..2], p[3..5]  the mean of the noise of this step and of the one before, as a force, to be taken off
//   p[6..8]   1 where a component of the velocity is thermal, else 0
//   p[9..11]  the seed: its lower and upper 16 bits; what the numbers are for
//   p[12]     1 where u is kept
//   p[13, 14] the step before which v is kept even so, as velocities are the script's there: its lower 16 bits, the others
//   p[15]     of type 1, and then of each: c, dt / 2 / mass in velocity per force, width of the noise of this step and of
//             the one before
#define GJF(a, h) ((h)->p + 11 + 4 * (a)->type)

static inline accum3 gjf_noise(const Atom *a, const Here *h, int before) {
    const uint2 key = (uint2)((uint)h->p[9] | (uint)h->p[10] << 16, (uint)h->p[11]);
    const accum3 noise = GJF(a, h)[2 + before] * normal_of_atom(a->tag, h->step - before, key);
    return GJF(a, h)[1] * (noise - vload3(before, h->p));
}

// The thermal components of a velocity, the others as they are.
static inline accum3 gjf_thermal(accum3 v, const Atom *a, const Here *h) {
    const accum3 thermal = vload3(2, h->p);
    return (accum3)(thermal.x != 0 ? v.x : a->v.x, thermal.y != 0 ? v.y : a->v.y, thermal.z != 0 ? v.z : a->v.z);
}

static inline void gjf_initial(Atom *a, const Here *h) {
    const accum c = GJF(a, h)[0];
    const accum3 kick = GJF(a, h)[1] * convert_accum3(a->f);
    accum3 v = a->v;
    const long first = (long)h->p[14] << 16 | (long)h->p[13];
    if (h->p[12] != 0 && h->step != first) v = (1 - c) * (v / sqrt(1 + c)) + kick + gjf_noise(a, h, 1);
    a->v = gjf_thermal((v + kick + gjf_noise(a, h, 0)) / (1 + c) - kick, a, h);
}

static inline void gjf_final(Atom *a, const Here *h) {
    const accum c = GJF(a, h)[0];
    const accum3 kick = GJF(a, h)[1] * convert_accum3(a->f);
    a->v = gjf_thermal(h->p[12] != 0 ? sqrt(1 + c) * a->v - kick : (1 - c) * a->v + gjf_noise(a, h, 0), a, h);
}
