// fix momentum: velocities without a common motion.
//   p[0..2] drift, p[3..5] angular velocity about the centre p[6..8], p[9] what the rest is multiplied by
static inline void momentum(Atom *a, const Here *h) {
    const accum3 arm = unwrapped(a, h->box) - vload3(2, h->p);
    a->v = h->p[9] * (a->v - vload3(0, h->p) - cross(vload3(1, h->p), arm));
}
