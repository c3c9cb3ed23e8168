// fix nvk: velocity Verlet at constant kinetic energy, with half steps under constant forces (src/fixes/nvk.rs).
//   p[0] time step, p[1] 1 / (sum of m v^2)
//   p[2] time step of the step before, 0 at the first one after a set-up
//   p[3] velocity per force and mass, p[3 + type] the same per type
//   memory[0], memory[1] sums of a v and a a over all atoms, times mass, with accelerations a of the forces; velocities were those amid the
//   step, at a set-up those of the step

// What velocities are divided by after half a step of dt, and what accelerations are multiplied by.
static inline accum2 nvk_factors(const Here *h, accum dt, accum power, accum square) {
    const accum t = (accum)0.5 * dt, a = power * h->p[1], b = square * h->p[1];
    if (!(b > 0)) return (accum2)(1, t);
    const accum root = sqrt(b);
    const accum rise = sinh(root * t), half_rise = sinh((accum)0.5 * root * t);
    return (accum2)(cosh(root * t) + a / root * rise, rise / root + 2 * a / b * half_rise * half_rise);
}

static inline void nvk_half(Atom *a, const Here *h, accum2 factors) {
    a->v = (a->v + factors.y * h->p[3 + a->type] * convert_accum3(a->f)) / factors.x;
}

static inline void nvk_add(Atom *a, const Here *h) {
    const accum3 f = h->p[3] * convert_accum3(a->f);
    ADD_UP(h, 0, dot(f, a->v));
    ADD_UP(h, 1, h->p[3 + a->type] * dot(f, convert_accum3(a->f)));
}

static inline void nvk_final(Atom *a, const Here *h) {
    nvk_half(a, h, nvk_factors(h, h->p[0], h->memory[0], h->memory[1]));
}

static inline void nvk_initial(Atom *a, const Here *h) {
    accum power = h->memory[0];
    const accum square = h->memory[1];
    // The second half of the last step has changed velocities since.
    if (h->p[2] != 0) {
        const accum2 last = nvk_factors(h, h->p[2], power, square);
        power = (power + last.y * square) / last.x;
    }
    nvk_half(a, h, nvk_factors(h, h->p[0], power, square));
    a->x = drift(a->x, h->p[0] * a->v);
}
