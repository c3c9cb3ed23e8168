// fix nve, velocity Verlet: v += dt/2 f/m, x += dt v, and after the forces v += dt/2 f/m.
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force
static inline void nve_final(Atom *a, const Here *h) {
    a->v += h->p[a->type] * convert_accum3(a->f);
}

static inline void nve_initial(Atom *a, const Here *h) {
    nve_final(a, h);
    a->x = drift(a->x, h->p[0] * a->v);
}
