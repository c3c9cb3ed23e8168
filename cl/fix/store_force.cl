// fix store/force: adds up the force of each atom, which is asked for atom by atom.
static inline void store_force(Atom *a, const Here *h) {
    ADD_UP(h, 0, a->f.x);
    ADD_UP(h, 1, a->f.y);
    ADD_UP(h, 2, a->f.z);
}
