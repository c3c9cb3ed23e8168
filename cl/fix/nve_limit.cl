// fix nve/limit: velocity Verlet; where an atom is faster than a limit, it is slowed down to it, and that is counted.
//   p[0] the limit, p[1] = dt, p[1 + type] = dt / 2 / mass in velocity per force
static inline void nve_limit_final(Atom *a, const Here *h) {
    a->v += h->p[1 + a->type] * convert_accum3(a->f);
    const accum vsq = dot(a->v, a->v), most = h->p[0] * h->p[0];
    if (vsq > most) {
        a->v *= sqrt(most / vsq);
        COUNT_ONE(h)
    }
}

static inline void nve_limit_initial(Atom *a, const Here *h) {
    nve_limit_final(a, h);
    a->x = drift(a->x, h->p[1] * a->v);
}
