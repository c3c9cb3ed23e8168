// fix enforce2d: no motion along z.
static inline void enforce2d(Atom *a, const Here *h) {
    a->v.z = 0;
    a->f.z = 0;
}
