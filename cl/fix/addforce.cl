// fix addforce: a force more.
//   p[0..2] the force, p[3] it is added at multiples of so many steps, p[4] not 0: with what is remembered of each atom,
//   or what is given of it, p[5] not 0: its energy is -F x, p[6] not 0 (fix efield): the force is that times what is remembered
// Adds up its energy, the forces before or those of a field, and its virial.
static inline void addforce(Atom *a, const Here *h) {
    if (h->p[3] > 1 && h->step % (long)h->p[3] != 0) return;
    accum3 push = (accum3)(h->p[0], h->p[1], h->p[2]);
    if (h->p[4] != 0) push = h->p[6] != 0 ? push * remembered(a, h) : push + remembered(a, h);
    push += h->given;
    const accum3 x = unwrapped(a, h->box);
    ADD_UP(h, 0, h->p[5] != 0 ? -dot(push, x) : 0);
    ADD_UP(h, 1, h->p[6] != 0 ? push.x : a->f.x);
    ADD_UP(h, 2, h->p[6] != 0 ? push.y : a->f.y);
    ADD_UP(h, 3, h->p[6] != 0 ? push.z : a->f.z);
    ADD_UP_VIRIAL(h, 4, push, x)
    a->f += convert_real3(push);
}
