// fix move: positions and velocities as prescribed, from where the atom was.

// Along a line: p[0..2] 0 for directions that follow the forces instead, p[3..5] the way, p[6..8] the velocity,
// p[9] = dt, p[9 + type] = dt / 2 / mass in velocity per force.
static inline void move_along_final(Atom *a, const Here *h) {
    const accum3 free = 1 - vload3(0, h->p);
    a->v += free * h->p[9 + a->type] * convert_accum3(a->f);
}

static inline void move_along(Atom *a, const Here *h) {
    move_along_final(a, h);
    const accum3 given = vload3(0, h->p);
    a->v = given * vload3(2, h->p) + (1 - given) * a->v;
    const accum3 to = remembered(a, h) + vload3(1, h->p);
    a->x = drift(a->x, given * (to - unwrapped(a, h->box)) + (1 - given) * h->p[9] * a->v);
}

// By displacements from where the atom was, by velocities, or both: p[0..2] 1 for directions with a displacement,
// p[3..5] for those with a velocity, p[6..8] and p[9..11] these, p[12] the rows of a table by ID of places with their own
// displacements, after which one of velocities follows (0: places alone), p[13] = dt, p[13 + type] = dt / 2 / mass in
// velocity per force, for the directions with neither.
static inline void move_by_final(Atom *a, const Here *h) {
    const accum3 free = (1 - vload3(0, h->p)) * (1 - vload3(1, h->p));
    a->v += free * h->p[13 + a->type] * convert_accum3(a->f);
}

static inline void move_by(Atom *a, const Here *h) {
    move_by_final(a, h);
    const accum3 placed = vload3(0, h->p), driven = vload3(1, h->p);
    const size_t rows = (size_t)h->p[12];
    accum3 velocity = vload3(3, h->p);
    if (rows > 0)
        velocity += vload3(rows + a->tag - 1, h->memory);
    a->v = driven * velocity + (1 - driven) * a->v;
    const accum3 to = remembered(a, h) + vload3(2, h->p);
    a->x = drift(a->x, placed * (to - unwrapped(a, h->box)) + (1 - placed) * h->p[13] * a->v);
}

// Round an axis: p[0..8] the rotation row by row, p[9..11] a point of the axis, p[12..14] how far that has moved,
// p[15..17] its velocity, p[18..20] the angular velocity.
static inline void move_round(Atom *a, const Here *h) {
    const accum3 arm = remembered(a, h) - vload3(3, h->p);
    const accum3 turned = (accum3)(dot(vload3(0, h->p), arm), dot(vload3(1, h->p), arm), dot(vload3(2, h->p), arm));
    a->v = vload3(5, h->p) + cross(vload3(6, h->p), turned);
    a->x = drift(a->x, vload3(3, h->p) + turned + vload3(4, h->p) - unwrapped(a, h->box));
}
