// fix propel/self: a force along the velocity; as in LAMMPS none of atoms whose squared speed is at most 1e-14.
//   p[0] the force
// Adds up its virial.
static inline void propel_self(Atom *a, const Here *h) {
    const accum square = dot(a->v, a->v);
    const accum3 push = square > (accum)1e-14 ? h->p[0] / sqrt(square) * a->v : (accum3)(0);
    const accum3 x = unwrapped(a, h->box);
    ADD_UP_VIRIAL(h, 0, push, x)
    a->f += convert_real3(push);
}
