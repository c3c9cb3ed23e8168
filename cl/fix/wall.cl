// Walls with a potential of the distance r, as far as the cutoff.
//   p[0] number of walls, for each of them: axis, side (1 upper, -1 lower), place, the distance where it begins, the cutoff,
//   the energy there, how many numbers follow, and these, the c of its potential
// Adds up the energy, the forces on the walls, the virial, and how many atoms are behind a wall.
// SIZE is how far an atom reaches, AT_CUTOFF the energy of one at the cutoff.
#define WALL(name, potential) WALL_OF(name, potential(r, w + 7, &energy), w[3], w[5])
#define WALL_OF(name, push_at_r, SIZE, AT_CUTOFF) \
    static inline void name(Atom *a, const Here *h) { \
        const uint walls = (uint)h->p[0]; \
        const accum3 x = coordinates(a->x); \
        accum3 total = 0; \
        __global const accum *w = h->p + 1; \
        for (uint m = 0; m < walls; m++, w += 7 + (uint)w[6]) { \
            const int axis = (int)w[0]; \
            const accum r = w[1] * (w[2] - component(x, axis)); \
            if (!(r < w[4])) continue; \
            if (!(r > (SIZE))) { \
                ADD_UP(h, 7 + walls, 1); \
                continue; \
            } \
            accum energy; \
            const accum push = push_at_r; \
            ADD_UP(h, 0, energy - (AT_CUTOFF)); \
            ADD_UP(h, 1 + m, w[1] * push); \
            ADD_UP(h, 1 + walls + axis, push * r); \
            total -= w[1] * push * along_axis(axis); \
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

// Of a sphere: c[0], c[1] and two numbers of each type, its radius and its energy at the cutoff.
static inline accum colloid_at(accum r, accum radius, __global const accum *c, accum *energy) {
    const accum near = 1 / (r - radius), far = 1 / (r + radius), both = near * far, cube = radius * radius * radius;
    const accum near3 = near * near * near, far3 = far * far * far, near7 = near3 * near3 * near, far7 = far3 * far3 * far;
    *energy = c[0] * ((7 * radius - r) * near7 + (r + 7 * radius) * far7) - c[1] * (2 * r * radius * both + log(far / near));
    return 6 * c[0] * ((8 * radius - r) * near7 * near + (8 * radius + r) * far7 * far) - 4 * c[1] * cube * both * both;
}

WALL(wall_lj93, lj93_at)
WALL(wall_lj126, lj126_at)
WALL(wall_lj1043, lj1043_at)
WALL(wall_harmonic, harmonic_at)
WALL(wall_morse, morse_at)
#define OF_TYPE(k) w[7 + 2 * a->type + (k)]
WALL_OF(wall_colloid, colloid_at(r, OF_TYPE(0), w + 7, &energy), OF_TYPE(0), OF_TYPE(1))

// fix wall/region: the same potentials of the distance to the surface of a region, which is one shape or several.
//   p[0] number of shapes, p[1] 1: x must be in all of them, 0: in any; p[2] cutoff, p[3..10] c[0..7]; from p[11] on, for each
//   shape: 0 block, 1 sphere, 2 cylinder, 3 plane, 4 cone, 5 ellipsoid, 6 prism; 1: its inside, -1: its outside; nine numbers of it; its open
//   faces as bits: with any, x is on either side, and the other faces are walls on both; for colloids then, by type, the radius and the
//   energy at the cutoff
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

// Whether x is within a prism: the lower corner, lengths along the axes, tilts xy, xz, yz.
static inline bool in_prism(accum3 x, __global const accum *p) {
    const accum3 off = x - vload3(0, p + 2);
    const accum c = off.z / p[7], b = (off.y - c * p[10]) / p[6], a = (off.x - b * p[8] - c * p[9]) / p[5];
    return all((accum3)(a, b, c) >= 0) && all((accum3)(a, b, c) <= 1);
}

// Whether x is within a shape; surfaces belong to the inside.
static inline bool encloses(accum3 x, __global const accum *p) {
    const accum3 s = vload3(0, p + 2), t = vload3(1, p + 2);
    if (p[0] == 0) return all(x >= s && x <= t);
    if (p[0] == 3) return dot(x - s, t) >= 0; // a point and the normal, which points inside
    if (p[0] == 5) { // the middle, half axes, how many of them count
        const accum3 off = p[8] == 2 ? (x - s) * (accum3)(1, 1, 0) : x - s;
        return dot(off / t, off / t) <= 1;
    }
    if (p[0] == 6) return in_prism(x, p);
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

// The way from the nearest point of an ellipsoid's surface, on either side of it: half axis_i^2 off_i / (half axis_i^2 + t), of the
// largest t that has it on the surface. Towards that Newton's steps go from one side, as the function is convex.
static inline accum3 way_from_ellipsoid(accum3 x, __global const accum *p) {
    accum half_axis[3], off[3], nearest[3];
    const uint n = (uint)p[8];
    uint least = 0;
    for (uint d = 0; d < 3; d++) {
        half_axis[d] = p[5 + d];
        off[d] = d < n ? (d == 0 ? x.x - p[2] : d == 1 ? x.y - p[3] : x.z - p[4]) : 0;
        nearest[d] = 0;
        if (d < n && half_axis[d] < half_axis[least]) least = d;
    }
    accum t = -half_axis[least] * half_axis[least];
    // At its least value, in the plane across the shortest axis, the point may lie beside that plane.
    accum left = 1;
    for (uint d = 0; d < n; d++) {
        if (off[d] == 0) continue;
        const accum square = half_axis[d] * half_axis[d] + t;
        const accum part = square > 0 ? half_axis[d] * off[d] / square : (accum)INFINITY;
        left -= part * part;
    }
    if (left >= 0) {
        for (uint d = 0; d < n; d++) {
            const accum square = half_axis[d] * half_axis[d] + t;
            nearest[d] = off[d] == 0 ? 0 : half_axis[d] * half_axis[d] * off[d] / square;
        }
        nearest[least] = half_axis[least] * sqrt(left);
    } else {
        for (uint d = 0; d < n; d++) t = fmax(t, half_axis[d] * (fabs(off[d]) - half_axis[d]));
        for (uint k = 0; k < 100; k++) {
            accum value = -1, slope = 0;
            for (uint d = 0; d < n; d++) {
                if (off[d] == 0) continue;
                const accum square = half_axis[d] * half_axis[d] + t, part = half_axis[d] * off[d] / square;
                value += part * part;
                slope -= 2 * part * part / square;
            }
            const accum next = t - value / slope;
            if (!(next > t)) break;
            t = next;
        }
        for (uint d = 0; d < n; d++) {
            nearest[d] = off[d] == 0 ? 0 : half_axis[d] * half_axis[d] * off[d] / (half_axis[d] * half_axis[d] + t);
        }
    }
    return (accum3)(off[0] - nearest[0], off[1] - nearest[1], off[2] - nearest[2]);
}

// The edges of a prism.
static inline accum3 edge_of(int k, __global const accum *p) {
    return k == 0 ? (accum3)(p[5], 0, 0) : k == 1 ? (accum3)(p[8], p[6], 0) : (accum3)(p[9], p[10], p[7]);
}

// The way from the nearest point of o + s u, 0 <= s <= 1, to x.
static inline accum3 way_from_edge(accum3 x, accum3 o, accum3 u) {
    return x - o - clamp(dot(x - o, u) / dot(u, u), (accum)0, (accum)1) * u;
}

// Those of a prism: within it of each closed face, outside of the nearest one.
static inline Contacts prism_contacts(accum3 x, bool within, __global const accum *p) {
    Contacts c;
    c.n = 0;
    const accum3 lower = vload3(0, p + 2);
    for (int face = 0; face < 6; face++) {
        if (IS_OPEN(p, face)) continue;
        const int axis = face / 2;
        const accum3 u = edge_of((axis + 1) % 3, p), v = edge_of((axis + 2) % 3, p);
        const accum3 o = face & 1 ? lower + edge_of(axis, p) : lower;
        const accum3 area = cross(u, v), across = dot(x - o, area) / dot(area, area) * area;
        if (within) {
            c.way[c.n++] = across;
            continue;
        }
        // How far along both edges the foot of x is.
        const accum3 foot = x - o - across;
        const accum s = dot(cross(foot, v), area) / dot(area, area), t = dot(cross(u, foot), area) / dot(area, area);
        accum3 way = across;
        if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) {
            way = way_from_edge(x, o, u);
            const accum3 others[3] = {way_from_edge(x, o, v), way_from_edge(x, o + v, u), way_from_edge(x, o + u, v)};
            for (int k = 0; k < 3; k++) {
                if (dot(others[k], others[k]) < dot(way, way)) way = others[k];
            }
        }
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
    if (shape == 6) return prism_contacts(x, within, p);
    if (shape == 5) {
        c.way[c.n++] = way_from_ellipsoid(x, p);
        return c;
    }
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
#define WALL_REGION(name, potential) WALL_REGION_OF(name, potential(r, h->p + 3, &energy), 0, h->p[10])
#define WALL_REGION_OF(name, push_at_r, SIZE, AT_CUTOFF) \
    static inline void name(Atom *a, const Here *h) { \
        const accum3 x = coordinates(a->x); \
        const uint shapes = (uint)h->p[0]; \
        const bool every = h->p[1] > 0; \
        if (!in_region(x, shapes, h)) { \
            ADD_UP(h, 10, 1); \
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
                if (!(r > (SIZE))) { \
                    ADD_UP(h, 10, 1); \
                    continue; \
                } \
                accum energy; \
                const accum3 push = push_at_r / r * way; \
                ADD_UP(h, 0, energy - (AT_CUTOFF)); \
                ADD_UP(h, 1, -push.x); \
                ADD_UP(h, 2, -push.y); \
                ADD_UP(h, 3, -push.z); \
                ADD_UP(h, 4, push.x * way.x); \
                ADD_UP(h, 5, push.y * way.y); \
                ADD_UP(h, 6, push.z * way.z); \
                ADD_UP(h, 7, push.x * way.y); \
                ADD_UP(h, 8, push.x * way.z); \
                ADD_UP(h, 9, push.y * way.z); \
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
#define OF_SPHERE(k) SHAPE(h, shapes)[2 * (a->type - 1) + (k)]
WALL_REGION_OF(wall_region_colloid, colloid_at(r, OF_SPHERE(0), h->p + 3, &energy), OF_SPHERE(0), OF_SPHERE(1))
