// Velocities times a factor per component, p[0..2].
static inline void scale_velocity(Atom *a, const Here *h) {
    a->v *= vload3(0, h->p);
}
