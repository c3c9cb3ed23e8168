// fix spring: forces on two groups in proportion to the mass.
//   p[0], p[1] the groups' bits (the second 0: a point), p[2] the force constant, p[3] the length at rest, p[4..6] the point, or
//   the separation of the centres, p[7..9] 0 for directions that do not count, p[9 + type] the mass
//   memory[0..3], memory[4..7] mass times position, and mass, of one group and of the other

// No longer than this it has no direction.
#define SMALL_SPRING ((accum)1e-10)

// Adds up mass times position, and mass, of one and of the other.
static inline void add_centres(Atom *a, const Here *h) {
    const accum mass = h->p[9 + a->type];
    const accum3 x = unwrapped(a, h->box);
    for (uint k = 0; k < 2; k++) {
        if (!(a->mask & (uint)h->p[k])) continue;
        ADD_UP(h, 4 * k, mass * x.x);
        ADD_UP(h, 4 * k + 1, mass * x.y);
        ADD_UP(h, 4 * k + 2, mass * x.z);
        ADD_UP(h, 4 * k + 3, mass);
    }
}

static inline void spring(Atom *a, const Here *h) {
    add_centres(a, h);
    // A group without mass has its centre at the origin.
    const accum mass[2] = {fmax(h->memory[3], (accum)FLT_MIN), fmax(h->memory[7], (accum)FLT_MIN)};
    const accum3 centre = vload3(0, h->memory) / mass[0], target = vload3(0, h->p + 4);
    const accum3 other = h->p[1] == 0 ? target : vload3(0, h->memory + 4) / mass[1] - target;
    const accum3 way = (other - centre) * vload3(0, h->p + 7);
    const accum r = fmax(sqrt(dot(way, way)), SMALL_SPRING);
    const accum3 force = h->p[2] * (r - h->p[3]) / r * way;
    const accum own = h->p[9 + a->type];
    if (a->mask & (uint)h->p[0]) a->f += convert_real3(own / mass[0] * force);
    if (a->mask & (uint)h->p[1]) a->f -= convert_real3(own / mass[1] * force);
}
