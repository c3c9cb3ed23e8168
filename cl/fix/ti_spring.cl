// fix ti/spring: from the forces of the system to springs to where atoms were.
//   p[0] force constant, 0 before the springs come, p[1] lambda
// Adds up the energy of the springs by themselves.
static inline void ti_spring(Atom *a, const Here *h) {
    const accum3 d = unwrapped(a, h->box) - remembered(a, h);
    const accum3 pull = h->p[0] * d;
    ADD_UP(h, 0, dot(pull, d) / 2);
    a->f = convert_real3((1 - h->p[1]) * convert_accum3(a->f) - h->p[1] * pull);
}
