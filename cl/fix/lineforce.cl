// fix lineforce keeps the part of the force along p[0..2], fix planeforce the rest.
static inline accum3 along(const Atom *a, const Here *h) {
    const accum3 line = (accum3)(h->p[0], h->p[1], h->p[2]);
    return dot(convert_accum3(a->f), line) * line;
}

static inline void lineforce(Atom *a, const Here *h) {
    a->f = convert_real3(along(a, h));
}

static inline void planeforce(Atom *a, const Here *h) {
    a->f -= convert_real3(along(a, h));
}
