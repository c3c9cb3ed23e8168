// fix indent: a force of k times the square of the depth inside the indenter. A function for each kind of indenter: beside a
// cone's, compilers make no vectors of atoms for the simple ones.
//   p[0] = k
//   p[1] 1: atoms closer than p[6] are pushed away; -1: those farther away are pushed back
//   p[2] the axis of a cylinder or a cone, or the one that a plane lies across; of a sphere negative
//   p[3..5] centre, p[6] radius, or the plane's coordinate; of a cone the radius at its lower end, p[7] that at its upper
//   one, p[8] half its length
// Adds up the energy and the force on the indenter.

// An atom at that depth, pushed along a way.
static inline void push_out(Atom *a, const Here *h, accum depth, accum3 way) {
    if (!(depth > 0)) return;
    const accum r = sqrt(dot(way, way));
    if (r > 0) way /= r;
    const accum3 push = h->p[1] * h->p[0] * depth * depth * way;
    ADD_UP(h, 0, h->p[0] / 3 * depth * depth * depth);
    ADD_UP(h, 1, -push.x);
    ADD_UP(h, 2, -push.y);
    ADD_UP(h, 3, -push.z);
    a->f += convert_real3(push);
}

static inline void indent_plane(Atom *a, const Here *h) {
    const int axis = (int)h->p[2];
    push_out(a, h, h->p[1] * (h->p[6] - component(coordinates(a->x), axis)), along_axis(axis));
}

// A sphere or a cylinder.
static inline void indent_round(Atom *a, const Here *h) {
    const accum3 across = 1 - along_axis((int)h->p[2]), centre = vload3(1, h->p);
    const accum3 way = nearest_image((coordinates(a->x) - centre) * across, h->box);
    const accum rsq = dot(way, way), radius = h->p[6];
    if (h->p[1] * (radius * radius - rsq) > 0) push_out(a, h, h->p[1] * (radius - sqrt(rsq)), way);
}

// The way to a point of a cone's half section from the nearest point of its surface: the side and the ends that are open to
// the point. Both as (distance from the axis, along it from the middle).
static inline accum2 way_from_cone(accum2 here, bool within, __global const accum *p) {
    const accum2 low = (accum2)(p[6], -p[8]), high = (accum2)(p[7], p[8]);
    accum2 way = way_from_segment(low, high, here);
    for (int end = -1; end <= 1; end += 2) {
        const accum2 edge = end < 0 ? low : high, middle = (accum2)(0, edge.y);
        accum2 other = here - middle;
        if (within) other.x = 0;
        else if (edge.x > 0) other = way_from_segment(edge, middle, here);
        if (dot(other, other) < dot(way, way)) way = other;
    }
    return way;
}

static inline void indent_cone(Atom *a, const Here *h) {
    const accum3 along = along_axis((int)h->p[2]), centre = vload3(1, h->p);
    const accum3 way = nearest_image(coordinates(a->x) - centre, h->box);
    const accum3 out = way * (1 - along);
    const accum2 here = (accum2)(sqrt(dot(out, out)), dot(way, along));
    const accum radius = h->p[6] + (here.y + h->p[8]) * (h->p[7] - h->p[6]) / (2 * h->p[8]);
    const bool within = fabs(here.y) <= h->p[8] && here.x <= radius;
    if (within != (h->p[1] > 0)) return;
    const accum2 from = way_from_cone(here, within, h->p);
    push_out(a, h, sqrt(dot(from, from)), way);
}
