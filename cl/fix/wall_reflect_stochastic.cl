// fix wall/reflect/stochastic: atoms behind a wall come back from it with the velocity that a rough, warm wall gives.
//   p[0] number of walls, p[1], p[2] the seed: its lower and upper 16 bits; p[3] 0 diffusive, 1 maxwell, 2 ccl
//   for each wall: axis, side (1 upper, -1 lower), place, temperature, velocity (3), accommodation (3)
//   then for each type kB / m
// Twin: reflect_stochastic of src/reference/fix.rs.

static inline void wall_reflect_stochastic(Atom *a, const Here *h) {
    const uint walls = (uint)h->p[0];
    const uint2 key = (uint2)((uint)h->p[1] | (uint)h->p[2] << 16, 2);
    const int model = (int)h->p[3];
    accum3 at = coordinates(a->x);
    for (uint m = 0; m < walls; m++) {
        __global const accum *w = h->p + 4 + 10 * m;
        const int axis = (int)w[0];
        const accum side = w[1], beyond = component(at, axis) - w[2];
        if (!(side * beyond > 0)) continue;
        const accum3 across = along_axis(axis);
        const accum4 u = four_of_atom(a->tag, h->step, 2 * m + 1, key);
        const accum4 more = four_of_atom(a->tag, h->step, 2 * m + 2, key);
        const accum theta = w[3] * h->p[3 + 10 * walls + a->type];
        const accum3 moving = vload3(0, w + 4), part = vload3(0, w + 7);
        const accum before = dot(a->v, across);
        // Time since it was at the wall; none for an atom that didn't come from the inside.
        const accum since = side * before > 0 ? beyond / before : 0;
        // Two normal numbers for the directions along the wall.
        const accum length = sqrt(-2 * log(u.x)), turn = 2 * u.y;
        const accum c = length * cospi(turn), s = length * sinpi(turn);
        const accum3 normal = axis == 0 ? (accum3)(0, c, s) : axis == 1 ? (accum3)(s, 0, c) : (accum3)(c, s, 0);
        const accum heat = -2 * log(u.z);
        accum3 along;
        accum away;
        if (model == 2) {
            const accum alpha = dot(part, across);
            along = moving + (1 - part) * (a->v - moving) + sqrt((2 - part) * part * theta) * normal;
            const accum mixed = 2 * sqrt((1 - alpha) * alpha * theta * heat) * before * cospi(2 * u.w);
            away = sqrt(fmax((1 - alpha) * before * before + alpha * theta * heat + mixed, (accum)0));
        } else if (model == 0 || more.x < part.x) {
            along = moving + sqrt(theta) * normal;
            away = sqrt(theta * heat);
        } else {
            along = a->v;
            away = side * before;
        }
        const accum3 after = along * (1 - across) - side * away * across;
        a->x = drift(a->x, since > 0 ? (after - a->v) * since : -beyond * across);
        a->v = after;
        at = coordinates(a->x);
    }
}
