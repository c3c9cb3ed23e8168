// fix wall/reflect: atoms behind a wall are mirrored at it.
//   p[0] number of walls, for each of them: axis, side (1 upper, -1 lower), place
static inline void wall_reflect(Atom *a, const Here *h) {
    const uint walls = (uint)h->p[0];
    accum3 at = coordinates(a->x);
    for (uint m = 0; m < walls; m++) {
        __global const accum *w = h->p + 1 + 3 * m;
        const int axis = (int)w[0];
        const accum beyond = component(at, axis) - w[2];
        if (!(w[1] * beyond > 0)) continue;
        const accum3 across = along_axis(axis);
        a->x = drift(a->x, -2 * beyond * across);
        at = coordinates(a->x);
        a->v *= 1 - 2 * across;
    }
}
