// fix addtorque: the force m (a x r + w x (w x r)) at r from the centre of mass of its group.
//   p[0..2]       The centre.
//   p[3..5]       The angular velocity w.
//   p[6..8]       Its change a, in energy per moment of inertia.
//   p[9]          Energy per mass and squared velocity.
//   p[9 + type]   The mass.
// Adds up the energy, and the torque of the forces before.
static inline void addtorque(Atom *a, const Here *h) {
    const accum3 x = unwrapped(a, h->box), r = x - vload3(0, h->p);
    const accum3 w = vload3(1, h->p), change = vload3(2, h->p);
    const accum3 push = h->p[9 + a->type] * (cross(change, r) + h->p[9] * cross(w, cross(w, r)));
    const accum3 torque = cross(r, convert_accum3(a->f));
    ADD_UP(h, 0, -dot(push, coordinates(a->x)));
    ADD_UP(h, 1, torque.x);
    ADD_UP(h, 2, torque.y);
    ADD_UP(h, 3, torque.z);
    a->f += convert_real3(push);
}
