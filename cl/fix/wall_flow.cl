// fix wall/flow: atoms that go through a plane get a velocity by chance, as from a gas that flows along an axis. Source:
// LAMMPS manual; D. Pavlov et al., Int. J. High Perform. Comput. Appl. 38 (2024) 34.
//   p[0] time step, p[1] velocity of the flow, p[2] axis, p[3..5] the seed and what its numbers are for
//   p[6] number of planes, p[7...] their places, in order, then per type the thermal velocity sqrt(2 kB T / m)

// A normal number by the first two of four uniform ones, and another one.
static inline accum2 normal_pair(accum4 u) {
    const accum length = sqrt(-2 * log(u.x)), angle = (accum)6.283185307179586 * u.y;
    return length * (accum2)(cos(angle), sin(angle));
}

// The components of v along an axis, and along the two after it in the order x, y, z, x, y.
static inline accum3 turned(accum3 v, int axis) {
    return axis == 0 ? v : axis == 1 ? v.yzx : v.zxy;
}

static inline accum3 turned_back(accum3 v, int axis) {
    return axis == 0 ? v : axis == 1 ? v.zxy : v.yzx;
}

static inline void wall_flow(Atom *a, const Here *h) {
    const int axis = (int)h->p[2];
    const uint planes = (uint)h->p[6];
    const accum3 v = turned(a->v, axis);
    const accum now = turned(coordinates(a->x), axis).x, before = now - v.x * h->p[0];
    bool through = false;
    for (uint m = 0; m < planes; m++) through |= (before >= h->p[7 + m]) != (now >= h->p[7 + m]);
    if (!through) return;
    const uint2 key = (uint2)((uint)h->p[3] | (uint)h->p[4] << 16, (uint)h->p[5]);
    const accum4 u = four_of_atom(a->tag, h->step, 0, key);
    const accum thermal = h->p[6 + planes + a->type], root_pi = (accum)1.7724538509055160;
    accum delta = h->p[1] / thermal;
    const accum flux = exp(-delta * delta) / root_pi + delta * erf(delta);
    const accum way = u.z > (accum)0.5 * (1 + delta / flux) ? -1 : 1;
    delta *= way;
    // How fast, by Newton's method from the most probable speed.
    const accum share = u.w * (flux + delta);
    accum s = (sqrt(delta * delta + 2) - delta) / 2;
    for (int k = 0; k < 10; k++) s -= (exp(s * s) * root_pi * (share - delta * erfc(s)) - 1) / (s + delta) / 2;
    const accum2 along = thermal * (accum)0.70710678118654752 * normal_pair(u);
    a->v = turned_back((accum3)(way * thermal * (s + delta), along), axis);
}
