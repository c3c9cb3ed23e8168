// Walls with a potential of the distance r, as far as the cutoff.
//   p[0] number of walls, for each of them: axis, side (1 upper, -1 lower), place, cutoff, and c[0..7] of the
//   potential, c[7] its value at the cutoff
// Adds up the energy, the forces on the walls, the virial, and how many atoms are behind a wall.
#define WALL(name, potential) \
    static inline void name(Atom *a, const Here *h) { \
        const uint walls = (uint)h->p[0]; \
        const accum3 x = coordinates(a->x); \
        accum3 total = 0; \
        for (uint m = 0; m < walls; m++) { \
            __global const accum *w = h->p + 1 + 12 * m; \
            const int axis = (int)w[0]; \
            const accum3 across = along_axis(axis); \
            const accum r = w[1] * (w[2] - dot(x, across)); \
            if (!(r < w[3])) continue; \
            if (!(r > 0)) { \
                ADD_UP(h, 7 + walls, 1) \
                continue; \
            } \
            accum energy; \
            const accum push = potential(r, w + 4, &energy); \
            ADD_UP(h, 0, energy - w[11]) \
            ADD_UP(h, 1 + m, w[1] * push) \
            ADD_UP(h, 1 + walls + axis, push * r) \
            total -= w[1] * push * across; \
        } \
        a->f += convert_real3(total); \
    }

// The potentials: force away from the wall, and energy.
static inline accum lj93_at(accum r, __global const accum *c, accum *energy) {
    const accum r1 = 1 / r, r3 = r1 * r1 * r1, r9 = r3 * r3 * r3;
    *energy = c[2] * r9 - c[3] * r3;
    return (c[0] * r9 - c[1] * r3) * r1;
}

static inline accum lj126_at(accum r, __global const accum *c, accum *energy) {
    const accum r1 = 1 / r, r2 = r1 * r1, r6 = r2 * r2 * r2;
    *energy = r6 * (c[2] * r6 - c[3]);
    return r6 * (c[0] * r6 - c[1]) * r1;
}

static inline accum lj1043_at(accum r, __global const accum *c, accum *energy) {
    const accum r1 = 1 / r, r4 = r1 * r1 * r1 * r1, r10 = r4 * r4 * r1 * r1;
    const accum s1 = 1 / (r + c[3]), s3 = s1 * s1 * s1;
    *energy = c[0] * r10 - c[1] * r4 - c[2] * s3;
    return (10 * c[0] * r10 - 4 * c[1] * r4) * r1 - 3 * c[2] * s3 * s1;
}

static inline accum harmonic_at(accum r, __global const accum *c, accum *energy) {
    const accum short_by = c[1] - r;
    *energy = c[0] * short_by * short_by;
    return 2 * c[0] * short_by;
}

static inline accum morse_at(accum r, __global const accum *c, accum *energy) {
    const accum decay = exp(-c[1] * (r - c[2]));
    *energy = c[0] * (decay * decay - 2 * decay);
    return 2 * c[0] * c[1] * (decay * decay - decay);
}

WALL(wall_lj93, lj93_at)
WALL(wall_lj126, lj126_at)
WALL(wall_lj1043, lj1043_at)
WALL(wall_harmonic, harmonic_at)
WALL(wall_morse, morse_at)
