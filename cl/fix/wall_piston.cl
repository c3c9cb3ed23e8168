// fix wall/piston: a wall that moves up along z mirrors atoms below it, in position and in velocity relative to the wall.
//   p[0] its place, p[1] its velocity
static inline void wall_piston(Atom *a, const Here *h) {
    const accum3 up = (accum3)(0, 0, 1);
    const accum below = h->p[0] - coordinates(a->x).z;
    if (!(below > 0)) return;
    a->x = drift(a->x, 2 * below * up);
    a->v.z = 2 * h->p[1] - a->v.z;
}
