// fix setforce, fix aveforce: components of the force are set.
//   p[0..2] to what, p[3..5] not 0 for those that stay, p[6] not 0: to what is remembered of each atom, besides, or given of it

// Adds up the forces before that, and the atoms.
static inline void add_forces(Atom *a, const Here *h) {
    ADD_UP(h, 0, a->f.x);
    ADD_UP(h, 1, a->f.y);
    ADD_UP(h, 2, a->f.z);
    ADD_UP(h, 3, 1);
}

static inline void set_components(Atom *a, const Here *h, accum3 to) {
    if (h->p[3] == 0) a->f.x = to.x;
    if (h->p[4] == 0) a->f.y = to.y;
    if (h->p[5] == 0) a->f.z = to.z;
}

static inline void setforce(Atom *a, const Here *h) {
    add_forces(a, h);
    accum3 to = vload3(0, h->p);
    if (h->p[6] != 0) to += remembered(a, h);
    to += h->given;
    set_components(a, h, to);
}

// To the mean of what add_forces found, besides.
static inline void aveforce(Atom *a, const Here *h) {
    add_forces(a, h);
    set_components(a, h, vload3(0, h->p) + vload3(0, h->memory) / h->memory[3]);
}
