// fix langevin: drag and noise, f += - m v / damp + sqrt(24 m kB T / (damp dt)) u with u uniform between -1/2 and 1/2.
//   p[0..2]  the mean of the noise, to be taken off
//   p[3..5]  1 where a component of the velocity is thermal, else 0
//   p[6..8]  the seed: its lower and upper 16 bits; what the numbers are for
//   p[7 + 2 type], p[8 + 2 type]  force per velocity, width of the noise
static inline void langevin_force(Atom *a, const Here *h) {
    const uint2 key = (uint2)((uint)h->p[6] | (uint)h->p[7] << 16, (uint)h->p[8]);
    const accum3 noise = h->p[8 + 2 * a->type] * uniform_of_atom(a->tag, h->step, key) - vload3(0, h->p);
    a->f += convert_real3(vload3(1, h->p) * (h->p[7 + 2 * a->type] * a->v + noise));
}
