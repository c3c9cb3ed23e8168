// fix drag: a constant force towards a point, beyond a distance from it.
//   p[0..2] the point, p[3..5] 0 for coordinates that do not count, p[6] the force, p[7] the distance
// Adds up the forces.
static inline void drag(Atom *a, const Here *h) {
    const accum3 point = (accum3)(h->p[0], h->p[1], h->p[2]), counts = (accum3)(h->p[3], h->p[4], h->p[5]);
    const accum3 d = nearest_image(counts * (coordinates(a->x) - point), h->box);
    const accum r = sqrt(dot(d, d));
    if (!(r > h->p[7])) return;
    const accum3 pull = -h->p[6] / r * d;
    ADD_UP(h, 0, pull.x);
    ADD_UP(h, 1, pull.y);
    ADD_UP(h, 2, pull.z);
    a->f += convert_real3(pull);
}
