// fix msst: velocity Verlet with velocities that friction and a moving box change, in two halves of the box's step.
//   p[0] = dt, p[1..3] the point that stays, p[4..6] and p[7..9] the factors of both halves of the box's step; behind them
//   6 numbers for each type, of the kick before the forces and then of the one after them: factors of the velocity, and
//   velocity per force
static inline void msst_kick(Atom *a, const Here *h, int which) {
    __global const accum *p = h->p + 10 + 6 * (which * TYPES + (int)a->type - 1);
    a->v = a->v * vload3(0, p) + vload3(1, p) * convert_accum3(a->f);
}

// Half a step of the box.
static inline void msst_dilate(Atom *a, const Here *h, int which) {
#ifndef SINGLE // there boxes do not change
    const accum3 still = vload3(0, h->p + 1), factor = vload3(which, h->p + 4);
    a->x = still + factor * (a->x - still);
    a->v *= factor;
#endif
}

// For all atoms, which follow the box.
static inline void msst_initial(Atom *a, const Here *h) {
    const int mine = (a->mask & h->group) != 0;
    if (mine) msst_kick(a, h, 0);
    msst_dilate(a, h, 0);
    if (mine) a->x = drift(a->x, h->p[0] * a->v);
    msst_dilate(a, h, 1);
}

static inline void msst_final(Atom *a, const Here *h) {
    if (a->mask & h->group) msst_kick(a, h, 1);
}
