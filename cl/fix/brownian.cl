// fix brownian: overdamped motion with noise.
//   p[0] dt, p[1] velocity per force, p[2] the width of the noise as a velocity, p[3] 0: none, 1: uniform, 2: normal,
//   p[4..6] the seed: its lower and upper 16 bits; what the numbers are for, p[7] not 0: nothing moves along z
static inline void brownian(Atom *a, const Here *h) {
    accum3 v = h->p[1] * convert_accum3(a->f);
    if (h->p[3] != 0) {
        const uint2 key = (uint2)((uint)h->p[4] | (uint)h->p[5] << 16, (uint)h->p[6]);
        v += h->p[2] * (h->p[3] == 1 ? uniform_of_atom(a->tag, h->step, key) : normal_of_atom(a->tag, h->step, key));
    }
    if (h->p[7] != 0) v.z = 0;
    a->v = v;
    a->x = drift(a->x, h->p[0] * v);
}
