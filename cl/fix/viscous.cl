// fix viscous: friction.
//   p[type - 1] force per velocity
static inline void viscous(Atom *a, const Here *h) {
    a->f -= convert_real3(h->p[a->type - 1] * a->v);
}
