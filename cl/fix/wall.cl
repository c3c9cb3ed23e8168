// Walls with a potential of the distance r, as far as the cutoff.
//   p[0] number of walls, for each of them: axis, side (1 upper, -1 lower), place, the distance where it begins, the cutoff,
//   the energy there, how many numbers follow, and these, the c of its potential
// Adds up the energy, the forces on the walls, the virial, and how many atoms are behind a wall.
#define WALL(name, potential) \
    static inline void name(Atom *a, const Here *h) { \
        const uint walls = (uint)h->p[0]; \
        const accum3 x = coordinates(a->x); \
        accum3 total = 0; \
        __global const accum *w = h->p + 1; \
        for (uint m = 0; m < walls; m++, w += 7 + (uint)w[6]) { \
            const int axis = (int)w[0]; \
            const accum3 across = along_axis(axis); \
            const accum r = w[1] * (w[2] - dot(x, across)); \
            if (!(r < w[4])) continue; \
            if (!(r > w[3])) { \
                ADD_UP(h, 7 + walls, 1) \
                continue; \
            } \
            accum energy; \
            const accum push = potential(r, w + 7, &energy); \
            ADD_UP(h, 0, energy - w[5]) \
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

// fix wall/region: the same potentials of the distance to the surface of a region, which is one shape or several.
//   p[0] number of shapes, p[1] 1: x must be in all of them, 0: in any; p[2] cutoff, p[3..10] c[0..7]; from p[11] on, for each
//   shape: 0 block, 1 sphere, 2 cylinder, 3 plane, 4 cone; 1: its inside, -1: its outside; nine numbers of it; its open
//   faces as bits: with any, x is on either side, and the other faces are walls on both
// Adds up the energy, the force on the wall, the virial, and how many atoms are on the wrong side.
#define SHAPE(h, k) ((h)->p + 11 + 12 * (k))
#define IS_OPEN(p, face) ((uint)(p)[11] >> (face) & 1)

// The ways from the nearest points of a shape's surface to x, at most six; `n` of them.
typedef struct {
    accum3 way[6];
    uint n;
} Contacts;

// The axis of a cylinder or cone.
static inline accum3 axis_of(__global const accum *p) {
    return p[0] == 2 || p[0] == 4 ? along_axis((int)p[6]) : (accum3)(0);
}

// The radius of a sphere, cylinder or cone, of the last `along` its axis.
static inline accum radius_at(accum along, __global const accum *p) {
    return p[0] == 4 ? p[5] + (along - p[7]) * (p[9] - p[5]) / (p[8] - p[7]) : p[5];
}

// Whether x is within a shape; surfaces belong to the inside.
static inline bool encloses(accum3 x, __global const accum *p) {
    const accum3 s = vload3(0, p + 2), t = vload3(1, p + 2);
    if (p[0] == 0) return all(x >= s && x <= t);
    if (p[0] == 3) return dot(x - s, t) >= 0; // a point and the normal, which points inside
    const accum3 axis = axis_of(p), out = (x - s) * (1 - axis);
    const accum along = dot(x, axis);
    return sqrt(dot(out, out)) <= radius_at(along, p) && (p[0] == 1 || (along >= p[7] && along <= p[8]));
}

// Whether x belongs to one of the shapes, on the side that is meant.
static inline bool belongs(accum3 x, __global const accum *p) {
    return p[11] != 0 || encloses(x, p) == (p[1] > 0);
}

// Contacts of a cone, or of a cylinder that has open faces: its lower end, its upper one, the surface between.
static inline Contacts cone_contacts(accum3 x, bool within, __global const accum *p) {
    Contacts c;
    c.n = 0;
    const accum3 axis = axis_of(p), out = (x - vload3(0, p + 2)) * (1 - axis);
    const accum along = dot(x, axis), lo = p[7], hi = p[8], r = sqrt(dot(out, out));
    const accum2 here = (accum2)(r, along), low = (accum2)(p[5], lo), high = (accum2)(p[9], hi);
    const accum2 side = way_from_segment(low, high, here);
    const accum3 outwards = r > 0 ? out / r : (accum3)(0);
    if (within) {
        if (r > 0 && !IS_OPEN(p, 2)) c.way[c.n++] = side.x * outwards + side.y * axis;
        if (!IS_OPEN(p, 0)) c.way[c.n++] = (along - lo) * axis;
        if (!IS_OPEN(p, 1)) c.way[c.n++] = (along - hi) * axis;
        return c;
    }
    accum2 way = side;
    bool any = !IS_OPEN(p, 2);
    if (p[5] > 0 && !IS_OPEN(p, 0)) {
        const accum2 end = way_from_segment(low, (accum2)(0, lo), here);
        if (!any || dot(end, end) < dot(way, way)) way = end;
        any = true;
    }
    if (p[9] > 0 && !IS_OPEN(p, 1)) {
        const accum2 end = way_from_segment(high, (accum2)(0, hi), here);
        if (!any || dot(end, end) < dot(way, way)) way = end;
        any = true;
    }
    if (any) c.way[c.n++] = way.x * outwards + way.y * axis;
    return c;
}

// The way from the nearest point of a block's closed faces, if there are any.
static inline Contacts faces_outside(accum3 x, __global const accum *p) {
    Contacts c;
    c.n = 0;
    const accum3 s = vload3(0, p + 2), t = vload3(1, p + 2), at = clamp(x, s, t);
    for (uint face = 0; face < 6; face++) {
        if (IS_OPEN(p, face)) continue;
        const accum3 across = along_axis((int)(face / 2));
        const accum3 way = x - at - across * ((face & 1 ? t : s) - at);
        if (c.n == 0 || dot(way, way) < dot(c.way[0], c.way[0])) c.way[0] = way;
        c.n = 1;
    }
    return c;
}

// Those of a shape to which x belongs.
static inline Contacts contacts_of(accum3 x, __global const accum *p) {
    Contacts c;
    c.n = 0;
    const int shape = (int)p[0];
    const bool open = p[11] != 0, within = open ? encloses(x, p) : p[1] > 0;
    const accum3 s = vload3(0, p + 2), t = vload3(1, p + 2);
    if (shape == 4 || (shape == 2 && open)) return cone_contacts(x, within, p);
    if (shape == 0) {
        if (within) {
            for (uint face = 0; face < 6; face++) {
                if (!IS_OPEN(p, face)) c.way[c.n++] = along_axis((int)(face / 2)) * (x - (face & 1 ? t : s));
            }
        } else if (open) {
            return faces_outside(x, p);
        } else {
            c.way[c.n++] = x - clamp(x, s, t);
        }
    } else if (shape == 3) {
        c.way[c.n++] = dot(x - s, t) * t;
    } else {
        // Centre and radius; for a cylinder the axis and the ends behind it.
        const accum radius = p[5];
        const accum3 axis = axis_of(p);
        const accum along = dot(x, axis), lo = p[7], hi = p[8];
        const accum3 out = (x - s) * (1 - axis);
        const accum r = sqrt(dot(out, out));
        const accum3 to_side = r > 0 ? out * (1 - radius / r) : (accum3)(0);
        if (within) {
            if (r > 0) c.way[c.n++] = to_side;
            if (shape == 2) {
                c.way[c.n++] = (along - lo) * axis;
                c.way[c.n++] = (along - hi) * axis;
            }
        } else {
            const accum3 beside = r > radius ? to_side : (accum3)(0);
            c.way[c.n++] = shape == 2 ? beside + (along - clamp(along, lo, hi)) * axis : to_side;
        }
    }
    return c;
}

// Whether x belongs to all shapes, or to any; but for the one at `left_out`.
static inline bool in_region(accum3 x, uint left_out, const Here *h) {
    const bool every = h->p[1] > 0;
    for (uint k = 0; k < (uint)h->p[0]; k++) {
        if (k != left_out && belongs(x, SHAPE(h, k)) != every) return !every;
    }
    return every;
}

// Points of a shape's surface are some of the region's where all other shapes have them, or, of a union, none has.
#define WALL_REGION(name, potential) \
    static inline void name(Atom *a, const Here *h) { \
        const accum3 x = coordinates(a->x); \
        const uint shapes = (uint)h->p[0]; \
        const bool every = h->p[1] > 0; \
        if (!in_region(x, shapes, h)) { \
            ADD_UP(h, 10, 1) \
            return; \
        } \
        accum3 total = 0; \
        for (uint m = 0; m < shapes; m++) { \
            if (!belongs(x, SHAPE(h, m))) continue; \
            const Contacts c = contacts_of(x, SHAPE(h, m)); \
            for (uint k = 0; k < c.n; k++) { \
                const accum3 way = c.way[k]; \
                const accum r = sqrt(dot(way, way)); \
                if (!(r < h->p[2])) continue; \
                if (shapes > 1 && in_region(x - way, m, h) != every) continue; \
                if (!(r > 0)) { \
                    ADD_UP(h, 10, 1) \
                    continue; \
                } \
                accum energy; \
                const accum3 push = potential(r, h->p + 3, &energy) / r * way; \
                ADD_UP(h, 0, energy - h->p[10]) \
                ADD_UP(h, 1, -push.x) \
                ADD_UP(h, 2, -push.y) \
                ADD_UP(h, 3, -push.z) \
                ADD_UP(h, 4, push.x * way.x) \
                ADD_UP(h, 5, push.y * way.y) \
                ADD_UP(h, 6, push.z * way.z) \
                ADD_UP(h, 7, push.x * way.y) \
                ADD_UP(h, 8, push.x * way.z) \
                ADD_UP(h, 9, push.y * way.z) \
                total += push; \
            } \
        } \
        a->f += convert_real3(total); \
    }

WALL_REGION(wall_region_lj93, lj93_at)
WALL_REGION(wall_region_lj126, lj126_at)
WALL_REGION(wall_region_lj1043, lj1043_at)
WALL_REGION(wall_region_harmonic, harmonic_at)
WALL_REGION(wall_region_morse, morse_at)
