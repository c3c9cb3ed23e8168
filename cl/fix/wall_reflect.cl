// fix wall/reflect: atoms behind a wall are mirrored at it.
//   p[0] number of walls, for each of them: axis, side (1 upper, -1 lower), place
static inline void wall_reflect(Atom *a, const Here *h) {
    const uint walls = (uint)h->p[0];
    for (uint m = 0; m < walls; m++) {
        __global const accum *w = h->p + 1 + 3 * m;
        const accum3 across = along_axis((int)w[0]);
        const accum beyond = dot(coordinates(a->x), across) - w[2];
        if (!(w[1] * beyond > 0)) continue;
        a->x = drift(a->x, -2 * beyond * across);
        a->v *= 1 - 2 * across;
    }
}
