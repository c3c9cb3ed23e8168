// fix wall/reflect/stochastic: atoms that have gone through a wall come back from where they met it with a velocity by
// chance. Sources: LAMMPS manual; C. Cercignani and M. Lampis, Transp. Theory Stat. Phys. 1 (1971) 101; the bessel form as
// in S. K. Dadzie and J. G. Meolans, J. Math. Phys. 45 (2004) 1804.
//   p[0] number of walls, p[1] where they begin, p[2..4] the seed and what its numbers are for
//   p[4 + type] kB / m of a type
//   for each wall: axis, side (1 upper, -1 lower), place, temperature, velocity, and the accommodation per axis

// A normal number by the first two of four uniform ones, and another one.
static inline accum2 normal_pair(accum4 u) {
    const accum length = sqrt(-2 * log(u.x)), angle = (accum)6.283185307179586 * u.y;
    return length * (accum2)(cos(angle), sin(angle));
}

// The components of v along an axis, and along the two after it in the order x, y, z, x, y.
static inline accum3 turned(accum3 v, int axis) {
    return axis == 0 ? v : axis == 1 ? v.yzx : v.zxy;
}

static inline accum3 turned_back(accum3 v, int axis) {
    return axis == 0 ? v : axis == 1 ? v.zxy : v.yzx;
}

#define WALL_BY_CHANCE(name, scattered) \
    static inline void name(Atom *a, const Here *h) { \
        const uint walls = (uint)h->p[0], first = (uint)h->p[1]; \
        const uint2 key = (uint2)((uint)h->p[2] | (uint)h->p[3] << 16, (uint)h->p[4]); \
        for (uint m = 0; m < walls; m++) { \
            __global const accum *w = h->p + first + 10 * m; \
            const int axis = (int)w[0]; \
            const accum beyond = turned(coordinates(a->x), axis).x - w[2]; \
            if (!(w[1] * beyond > 0)) continue; \
            const accum3 v = turned(a->v, axis); \
            const accum time = v.x == 0 ? 0 : beyond / v.x; \
            const accum4 u = four_of_atom(a->tag, h->step, m, key); \
            const accum theta = h->p[4 + a->type] * w[3]; \
            const accum3 wall = turned(vload3(0, w + 4), axis); \
            const accum3 share = turned(vload3(0, w + 7), axis); \
            const accum3 back = scattered(v, -w[1], wall, share, theta, u); \
            const accum3 by = time * (back - v); \
            const accum3 home = v.x == 0 ? (accum3)(-beyond, by.y, by.z) : by; \
            a->x = drift(a->x, turned_back(home, axis)); \
            a->v = turned_back(back, axis); \
        } \
    }

// New velocities, the first component of which leads away from the wall, into the direction `away`.
static inline accum3 diffusive(accum3 v, accum away, accum3 wall, accum3 share, accum theta, accum4 u) {
    const accum2 along = sqrt(theta) * normal_pair(u);
    return (accum3)(away * sqrt(-2 * theta * log(u.z)), wall.y + along.x, wall.z + along.y);
}

static inline accum3 maxwell(accum3 v, accum away, accum3 wall, accum3 share, accum theta, accum4 u) {
    return u.w < share.x ? diffusive(v, away, wall, share, theta, u) : v * (accum3)(-1, 1, 1);
}

static inline accum3 cercignani_lampis(accum3 v, accum away, accum3 wall, accum3 share, accum theta, accum4 u) {
    const accum a = share.x, noise = -2 * theta * a * log(u.z);
    const accum cross = 2 * sqrt((1 - a) * noise) * cos((accum)6.283185307179586 * u.w) * fabs(v.x);
    const accum across = away * sqrt(fmax((1 - a) * v.x * v.x + noise - cross, (accum)0));
    const accum2 rest = 1 - share.yz;
    const accum2 along = wall.yz + rest * (v.yz - wall.yz) + sqrt((2 - share.yz) * share.yz * theta) * normal_pair(u);
    return (accum3)(across, along);
}

WALL_BY_CHANCE(wall_diffusive, diffusive)
WALL_BY_CHANCE(wall_maxwell, maxwell)
WALL_BY_CHANCE(wall_ccl, cercignani_lampis)

// fix wall/flow: atoms that go through a plane get a velocity by chance, as from a gas that flows along an axis. Source:
// LAMMPS manual; D. Pavlov et al., Int. J. High Perform. Comput. Appl. 38 (2024) 34.
//   p[0] time step, p[1] velocity of the flow, p[2] axis, p[3..5] the seed and what its numbers are for
//   p[6] number of planes, p[7...] their places, in order, then per type the thermal velocity sqrt(2 kB T / m)
static inline void wall_flow(Atom *a, const Here *h) {
    const int axis = (int)h->p[2];
    const uint planes = (uint)h->p[6];
    const accum3 v = turned(a->v, axis);
    const accum now = turned(coordinates(a->x), axis).x, before = now - v.x * h->p[0];
    bool through = false;
    for (uint m = 0; m < planes; m++) through |= (before >= h->p[7 + m]) != (now >= h->p[7 + m]);
    if (!through) return;
    const uint2 key = (uint2)((uint)h->p[3] | (uint)h->p[4] << 16, (uint)h->p[5]);
    const accum4 u = four_of_atom(a->tag, h->step, 0, key);
    const accum thermal = h->p[6 + planes + a->type], root_pi = (accum)1.7724538509055160;
    accum delta = h->p[1] / thermal;
    const accum flux = exp(-delta * delta) / root_pi + delta * erf(delta);
    const accum way = u.z > (accum)0.5 * (1 + delta / flux) ? -1 : 1;
    delta *= way;
    // How fast, by Newton's method from the most probable speed.
    const accum share = u.w * (flux + delta);
    accum s = (sqrt(delta * delta + 2) - delta) / 2;
    for (int k = 0; k < 10; k++) s -= (exp(s * s) * root_pi * (share - delta * erfc(s)) - 1) / (s + delta) / 2;
    const accum2 along = thermal * (accum)0.70710678118654752 * normal_pair(u);
    a->v = turned_back((accum3)(way * thermal * (s + delta), along), axis);
}
