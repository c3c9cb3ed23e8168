// fix gravity: the same acceleration for every atom.
//   p[0..2] the acceleration, p[2 + type] the mass
// Adds up the energy -m g x.
static inline void gravity(Atom *a, const Here *h) {
    const accum3 pull = h->p[2 + a->type] * (accum3)(h->p[0], h->p[1], h->p[2]);
    ADD_UP(h, 0, -dot(pull, coordinates(a->x)));
    a->f += convert_real3(pull);
}
