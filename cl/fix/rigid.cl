// fix rigid: atoms are where their body has them, and move with it.
//   p[0] rows of the table by ID: where an atom is along the axes of its body; as many rows follow with the number of that
//   body from 1, 0 for none
//   p[1 + 18 b...] of body b its three axes, the unwrapped centre, its velocity, its angular velocity
static inline uint rigid_body(const Atom *a, const Here *h) {
    return (uint)h->memory[3 * ((size_t)h->p[0] + a->tag - 1)];
}

// From the centre of body b to the atom.
static inline accum3 rigid_arm(const Atom *a, const Here *h, uint b) {
    __global const accum *body = h->p + 1 + 18 * (size_t)(b - 1);
    const accum3 place = remembered(a, h);
    return place.x * vload3(0, body) + place.y * vload3(1, body) + place.z * vload3(2, body);
}

static inline void rigid_velocity(Atom *a, const Here *h) {
    const uint b = rigid_body(a, h);
    if (b == 0) return;
    __global const accum *body = h->p + 1 + 18 * (size_t)(b - 1);
    a->v = vload3(4, body) + cross(vload3(5, body), rigid_arm(a, h, b));
}

static inline void rigid_place(Atom *a, const Here *h) {
    const uint b = rigid_body(a, h);
    if (b == 0) return;
    __global const accum *body = h->p + 1 + 18 * (size_t)(b - 1);
    a->x = drift(a->x, rigid_arm(a, h, b) + vload3(3, body) - unwrapped(a, h->box));
    rigid_velocity(a, h);
}
