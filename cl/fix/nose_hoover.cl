// fix nvt, nph, npt: velocity Verlet with velocities scaled by thermostat and barostat, positions with the box.
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them, from NH(h) on:
//   0, 3, 6    factors of the velocity before the first kick, after the second, at the end of the step
//   9, 12      factor of positions, before and after they move; the point that stays
//   15         the group whose positions follow the box, as a bit
#define NH(h) ((h)->p + TYPES + 1)

static inline void nh_initial(Atom *a, const Here *h) {
    a->v = a->v * vload3(0, NH(h)) + h->p[a->type] * convert_accum3(a->f);
    a->x = drift(a->x, h->p[0] * a->v);
}

static inline void nh_final(Atom *a, const Here *h) {
    if (!(a->mask & h->group)) return;
    a->v = (a->v + h->p[a->type] * convert_accum3(a->f)) * vload3(1, NH(h));
}

static inline void nh_end(Atom *a, const Here *h) {
    if (a->mask & h->group) a->v *= vload3(2, NH(h));
}

static inline master3 nh_dilate(const Atom *a, const Here *h) {
#ifdef SINGLE
    return a->x; // boxes do not change in single precision
#else
    const accum3 fixed_point = vload3(4, NH(h));
    return a->mask & (uint)NH(h)[15] ? fixed_point + vload3(3, NH(h)) * (a->x - fixed_point) : a->x;
#endif
}

// In a box that changes: for all atoms.
static inline void nh_initial_in_box(Atom *a, const Here *h) {
    const int mine = (a->mask & h->group) != 0;
    if (mine) a->v = a->v * vload3(0, NH(h)) + h->p[a->type] * convert_accum3(a->f);
    a->x = nh_dilate(a, h);
    if (mine) a->x = drift(a->x, h->p[0] * a->v);
    a->x = nh_dilate(a, h);
}
