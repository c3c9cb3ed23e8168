// fix indent: a force of k times the square of the depth inside the indenter.
//   p[0] = k, p[1] not 0: a plane across the axis p[2]; else a cylinder along it, or, where it is negative, a sphere
//   p[3] 1: atoms closer than p[7] are pushed away; -1: those farther away are pushed back
//   p[4..6] centre, p[7] radius, or the plane's coordinate
// Adds up the energy and the force on the indenter.
static inline void indent(Atom *a, const Here *h) {
    const int axis = (int)h->p[2];
    const accum3 x = coordinates(a->x), along = along_axis(axis);
    accum3 way = along;
    accum r = dot(x, along);
    if (h->p[1] == 0) {
        const accum3 centre = (accum3)(h->p[4], h->p[5], h->p[6]);
        way = nearest_image((x - centre) * (1 - along), h->box);
        r = sqrt(dot(way, way));
        way /= r;
    }
    const accum depth = h->p[3] * (h->p[7] - r);
    if (!(depth > 0)) return;
    const accum3 push = h->p[3] * h->p[0] * depth * depth * way;
    ADD_UP(h, 0, h->p[0] / 3 * depth * depth * depth)
    ADD_UP(h, 1, -push.x)
    ADD_UP(h, 2, -push.y)
    ADD_UP(h, 3, -push.z)
    a->f += convert_real3(push);
}
