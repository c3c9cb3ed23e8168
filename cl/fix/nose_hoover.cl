// fix nvt, nph, npt: velocity Verlet with velocities scaled by thermostat and barostat, positions with the box.
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them, from NH(h) on:
//   0, 3, 6    factors of the velocity before the first kick, after the second, at the end of the step
//   9, 12      factor of positions, before and after they move; the point that stays
//   15         the group whose positions follow the box, as a bit
//   16, 19     in triclinic boxes that change, what velocities get of others (x of y, x of z, y of z): before the first
//              kick, after the second
//   22, 34     how positions follow each half of the box's step: factors of x y z, the lower corner before and after,
//              factors xy xz yz
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

// Half a step of the box on positions, the first or the second.
static inline master3 nh_dilate(const Atom *a, int half_step, const Here *h) {
#ifdef SINGLE
    return a->x; // boxes do not change in single precision
#elif defined(TRICLINIC)
    if (!(a->mask & (uint)NH(h)[15])) return a->x;
    const int first = 22 + 12 * half_step;
    const accum3 d = a->x - vload3(0, NH(h) + first + 3), off = vload3(0, NH(h) + first + 9);
    const accum3 x = vload3(0, NH(h) + first + 6) + vload3(0, NH(h) + first) * d;
    return x + (accum3)(off.x * d.y + off.y * d.z, off.z * d.z, 0);
#else
    const accum3 fixed_point = vload3(4, NH(h));
    return a->mask & (uint)NH(h)[15] ? fixed_point + vload3(3, NH(h)) * (a->x - fixed_point) : a->x;
#endif
}

// Half a step of the box on velocities, before the first kick (0) or after the second (1).
static inline accum3 nh_press(accum3 v, int which, const Here *h) {
    const accum3 pressed = v * vload3(which, NH(h));
#ifdef TRICLINIC
    const accum3 off = vload3(0, NH(h) + 16 + 3 * which);
    return pressed + (accum3)(off.x * v.y + off.y * v.z, off.z * v.z, 0);
#else
    return pressed;
#endif
}

// In a box that changes: for all atoms.
static inline void nh_initial_in_box(Atom *a, const Here *h) {
    const int mine = (a->mask & h->group) != 0;
    if (mine) a->v = nh_press(a->v, 0, h) + h->p[a->type] * convert_accum3(a->f);
    a->x = nh_dilate(a, 0, h);
    if (mine) a->x = drift(a->x, h->p[0] * a->v);
    a->x = nh_dilate(a, 1, h);
}

static inline void nh_final_in_box(Atom *a, const Here *h) {
    if (!(a->mask & h->group)) return;
    a->v = nh_press(a->v + h->p[a->type] * convert_accum3(a->f), 1, h);
}
