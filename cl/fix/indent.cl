// fix indent: a force of k times the square of the depth inside the indenter.
//   p[0] = k, p[1] 1: a plane across the axis p[2]; 2: a cone along it; 0: a cylinder along it, or, where that is negative,
//   a sphere
//   p[3] 1: atoms closer than p[7] are pushed away; -1: those farther away are pushed back
//   p[4..6] centre, p[7] radius, or the plane's coordinate; of a cone the radius at its lower end, p[8] that at its upper
//   one, p[9] half its length
// Adds up the energy and the force on the indenter.

// The way to a point of a cone's half section from the nearest point of its surface: the side and the ends that are open to
// the point. Both as (distance from the axis, along it from the middle).
static inline accum2 way_from_cone(accum2 here, bool within, __global const accum *p) {
    const accum2 low = (accum2)(p[7], -p[9]), high = (accum2)(p[8], p[9]);
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

static inline void indent(Atom *a, const Here *h) {
    const int axis = (int)h->p[2];
    const accum3 x = coordinates(a->x), along = along_axis(axis);
    const accum3 centre = (accum3)(h->p[4], h->p[5], h->p[6]);
    accum3 way = along;
    accum depth, size = 1; // of `way`
    if (h->p[1] == 2) {
        way = nearest_image(x - centre, h->box);
        const accum3 out = way * (1 - along);
        const accum2 here = (accum2)(sqrt(dot(out, out)), dot(way, along));
        const accum radius = h->p[7] + (here.y + h->p[9]) * (h->p[8] - h->p[7]) / (2 * h->p[9]);
        const bool within = fabs(here.y) <= h->p[9] && here.x <= radius;
        if (within != (h->p[3] > 0)) return;
        const accum2 from = way_from_cone(here, within, h->p);
        depth = sqrt(dot(from, from));
        const accum r = sqrt(dot(way, way));
        if (r > 0) size = r;
    } else {
        accum r = dot(x, along);
        if (h->p[1] == 0) {
            way = nearest_image((x - centre) * (1 - along), h->box);
            r = size = sqrt(dot(way, way));
        }
        depth = h->p[3] * (h->p[7] - r);
    }
    if (!(depth > 0)) return;
    way /= size;
    const accum3 push = h->p[3] * h->p[0] * depth * depth * way;
    ADD_UP(h, 0, h->p[0] / 3 * depth * depth * depth)
    ADD_UP(h, 1, -push.x)
    ADD_UP(h, 2, -push.y)
    ADD_UP(h, 3, -push.z)
    a->f += convert_real3(push);
}
