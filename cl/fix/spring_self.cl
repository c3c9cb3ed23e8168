// fix spring/self: a spring to where the atom was.
//   p[0..2] force constants along the axes
// Adds up the energy.
static inline void spring_self(Atom *a, const Here *h) {
    const accum3 d = unwrapped(a, h->box) - remembered(a, h);
    const accum3 pull = (accum3)(h->p[0], h->p[1], h->p[2]) * d;
    ADD_UP(h, 0, dot(pull, d) / 2);
    a->f -= convert_real3(pull);
}
