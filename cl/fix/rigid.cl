// fix rigid: atoms are where their body has them, and move with it. A table by ID says where an atom is along the axes of its body; as many rows
// follow with the number of that body from 1 (0 for none) and the place of the atom among those of all bodies from 1.
// Where the host moves the bodies, the table is all that is remembered, and
//   p[0] are the rows of the table
//   p[1 + 18 b...] of body b a pose: its three axes, the unwrapped centre, its velocity, its angular velocity
static inline accum3 rigid_arm(__global const accum *pose, accum3 place) {
    return place.x * vload3(0, pose) + place.y * vload3(1, pose) + place.z * vload3(2, pose);
}

static inline accum3 rigid_speed(__global const accum *pose, accum3 arm) {
    return vload3(4, pose) + cross(vload3(5, pose), arm);
}

// Number of the body, or place among the atoms of all (`which` 1).
static inline uint rigid_entry(const Atom *a, __global const accum *table, uint rows, uint which) {
    return a->tag > rows ? 0 : (uint)table[3 * ((size_t)rows + a->tag - 1) + which];
}

static inline uint rigid_body(const Atom *a, __global const accum *table, uint rows) {
    return rigid_entry(a, table, rows, 0);
}

static inline void rigid_velocity(Atom *a, const Here *h) {
    const uint b = rigid_body(a, h->memory, (uint)h->p[0]);
    if (b == 0) return;
    __global const accum *pose = h->p + 1 + 18 * (size_t)(b - 1);
    a->v = rigid_speed(pose, rigid_arm(pose, remembered(a, h)));
}

static inline void rigid_place(Atom *a, const Here *h) {
    const uint b = rigid_body(a, h->memory, (uint)h->p[0]);
    if (b == 0) return;
    __global const accum *pose = h->p + 1 + 18 * (size_t)(b - 1);
    a->x = drift(a->x, rigid_arm(pose, remembered(a, h)) + vload3(3, pose) - unwrapped(a, h->box));
    rigid_velocity(a, h);
}

#ifdef SETS
// Where the device moves them (cl/step/sets.cl), src/fixes/rigid/device.rs has the numbers:
//   p[0...]   rows of the table, how many bodies there are, time step, half of it in velocity per force over mass, 1 in two dimensions;
//   p[5...]   the corners of the box, 1 for periodic axes;
//   p[14...]  what gravity pulls with;
//   p[17...]  noise and drag of a thermostat, and where its random numbers begin, six for each body. They are 0 without one;
//   p[20...]  how many atoms of bodies there are, then the mass of each type, which count from 1.
// This is remembered of each body:
#define RIGID_END 0        // its pose at the end of a step
#define RIGID_BEGUN 18     // and where positions have moved
#define RIGID_CENTRE 36    // the centre, in the box when lists were built, as of now
#define RIGID_CENTRE_END 39 // and at the end of the step
#define RIGID_IMAGE 42     // the box lengths that it has crossed
#define RIGID_TURN 45      // orientation, and the momentum conjugate to it
#define RIGID_CONJUGATE 49
#define RIGID_MOMENTUM 53
#define RIGID_FORCE 56     // force and torque
#define RIGID_MOMENTS 62
#define RIGID_MASS 65
#define RIGID_FREE 66      // which components of force and torque count
#define RIGID_INDEX 72     // which body it is
#define RIGID_NOISE 73     // what the thermostat did last: force and torque
#define RIGID_BUILDS 79    // lists that had been built when the centre came into the box
#define RIGID_NUMBERS 80
// Behind the bodies stands of each of their atoms the virial of what keeps it in place (xx yy zz xy xz yz), then the table.
static inline __global accum *rigid_virials(__global const accum *memory, __global const accum *p) {
    return (__global accum *)memory + RIGID_NUMBERS * (size_t)p[1];
}

static inline __global const accum *rigid_table(__global const accum *memory, __global const accum *p) {
    return rigid_virials(memory, p) + 6 * (size_t)p[20];
}

// The body gives an atom at x another velocity, in half a step: adds half the virial of the force that this takes beyond the atom's own. Virials
// of a step are those of its two halves, of which the first one begins `anew`.
static inline void rigid_tally_constraint(const Atom *a, const Here *h, accum3 x, accum3 v, int anew) {
    if (!h->tallied) return;
    const accum3 pull = h->p[20 + a->type] * (v - a->v) / h->p[3] - convert_accum3(a->f);
    const uint slot = rigid_entry(a, rigid_table(h->memory, h->p), (uint)h->p[0], 1) - 1;
    __global accum *w = rigid_virials(h->memory, h->p) + 6 * (size_t)slot;
    const accum part[6] = {x.x * pull.x, x.y * pull.y, x.z * pull.z, x.x * pull.y, x.x * pull.z, x.y * pull.z};
    for (int k = 0; k < 6; k++) w[k] = (anew ? 0 : w[k]) + (accum)0.5 * part[k];
}

static inline uint rigid_slot(const Atom *a, __global const accum *p, __global const accum *memory) {
    const uint at = rigid_entry(a, rigid_table(memory, p), (uint)p[0], 1);
    return at == 0 ? NO_SLOT : at - 1;
}

// Force, and torque about the centre where the atom was when they were known.
static inline void rigid_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    __global const accum *table = rigid_table(h->memory, h->p);
    const uint b = rigid_body(a, table, (uint)h->p[0]);
    __global const accum *pose = h->memory + RIGID_NUMBERS * (size_t)(b - 1) + RIGID_BEGUN;
    const accum3 force = convert_accum3(a->f), torque = cross(rigid_arm(pose, vload3(a->tag - 1, table)), force);
    vstore3(force, 0, out);
    vstore3(torque, 1, out);
}

// The end of a step for an atom, and where it is in the next one.
static inline void rigid_end_atom(Atom *a, const Here *h) {
    __global const accum *table = rigid_table(h->memory, h->p);
    const uint b = rigid_body(a, table, (uint)h->p[0]);
    if (b == 0) return;
    __global const accum *body = h->memory + RIGID_NUMBERS * (size_t)(b - 1);
    const accum3 arm = rigid_arm(body + RIGID_END, vload3(a->tag - 1, table)), v = rigid_speed(body + RIGID_END, arm);
    rigid_tally_constraint(a, h, arm + vload3(0, body + RIGID_CENTRE_END), v, 0);
    a->v = v;
}

static inline void rigid_move_atom(Atom *a, const Here *h) {
    __global const accum *table = rigid_table(h->memory, h->p);
    const uint b = rigid_body(a, table, (uint)h->p[0]);
    if (b == 0) return;
    __global const accum *body = h->memory + RIGID_NUMBERS * (size_t)(b - 1), *pose = body + RIGID_BEGUN;
    const accum3 place = vload3(a->tag - 1, table), arm = rigid_arm(pose, place), v = rigid_speed(pose, arm);
    rigid_tally_constraint(a, h, rigid_arm(body + RIGID_END, place) + vload3(0, body + RIGID_CENTRE_END), v, 1);
    a->v = v;
    a->x = drift(a->x, arm + vload3(3, pose) - unwrapped(a, h->box));
}

// Quaternions are (w x y z) in this order. What a body does is done once in a step by one work-item.
static inline accum4 rigid_unit(accum4 q) {
    return q * (1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w));
}

static inline void rigid_axes(accum4 q, accum3 *axes) {
    const accum w = q.x, x = q.y, y = q.z, z = q.w;
    axes[0] = (accum3)(w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y));
    axes[1] = (accum3)(2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x));
    axes[2] = (accum3)(2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z);
}

static inline accum3 rigid_to_body(accum4 q, accum3 v) {
    accum3 axes[3];
    rigid_axes(q, axes);
    return (accum3)(dot(axes[0], v), dot(axes[1], v), dot(axes[2], v));
}

static inline accum3 rigid_to_space(accum4 q, accum3 v) {
    accum3 axes[3];
    rigid_axes(q, axes);
    return axes[0] * v.x + axes[1] * v.y + axes[2] * v.z;
}

// v q, q v, and the vector whose product with the unit quaternion q is p.
static inline accum4 rigid_vector_times(accum3 v, accum4 q) {
    return (accum4)(-v.x * q.y - v.y * q.z - v.z * q.w, q.x * v.x + v.y * q.w - v.z * q.z, q.x * v.y + v.z * q.y - v.x * q.w,
                    q.x * v.z + v.x * q.z - v.y * q.y);
}

static inline accum4 rigid_times_vector(accum4 q, accum3 v) {
    return (accum4)(-q.y * v.x - q.z * v.y - q.w * v.z, q.x * v.x + q.z * v.z - q.w * v.y, q.x * v.y + q.w * v.x - q.y * v.z,
                    q.x * v.z + q.y * v.y - q.z * v.x);
}

static inline accum3 rigid_without(accum4 q, accum4 p) {
    return (accum3)(-q.y * p.x + q.x * p.y + q.w * p.z - q.z * p.w, -q.z * p.x - q.w * p.y + q.x * p.z + q.y * p.w,
                    -q.w * p.x + q.z * p.y - q.y * p.z + q.x * p.w);
}

// Component by component, 0 where there is no moment.
static inline accum3 rigid_over(accum3 v, accum3 moments) {
    return (accum3)(moments.x == 0 ? 0 : v.x / moments.x, moments.y == 0 ? 0 : v.y / moments.y, moments.z == 0 ? 0 : v.z / moments.z);
}

static inline accum3 rigid_spin(accum4 q, accum3 moments, accum3 momentum) {
    return rigid_to_space(q, rigid_over(rigid_to_body(q, momentum), moments));
}

// Half a kick, from the pose at `from`.
static inline accum3 rigid_push(__global const accum *s, __global const accum *p, uint from) {
    return vload3(4, s + from) + p[3] / s[RIGID_MASS] * (vload3(0, s + RIGID_FREE) * vload3(0, s + RIGID_FORCE));
}

static inline accum3 rigid_torque(__global const accum *s) {
    return vload3(1, s + RIGID_FREE) * vload3(1, s + RIGID_FORCE);
}

static inline accum4 rigid_push_conjugate(__global const accum *s, __global const accum *p, accum4 q) {
    return vload4(0, s + RIGID_CONJUGATE) + 2 * p[3] * rigid_times_vector(q, rigid_to_body(q, rigid_torque(s)));
}

// Takes the momentum that the conjugate one makes, and returns the angular velocity.
static inline accum3 rigid_unconjugate(__global accum *s, accum4 q, accum4 conjugate) {
    const accum3 momentum = (accum)0.5 * rigid_to_space(q, rigid_without(q, conjugate));
    vstore4(conjugate, 0, s + RIGID_CONJUGATE);
    vstore3(momentum, 0, s + RIGID_MOMENTUM);
    return rigid_spin(q, vload3(0, s + RIGID_MOMENTS), momentum);
}

// Stores a pose.
static inline void rigid_store_pose(__global accum *s, __global const accum *p, uint to, accum4 q, accum3 v, accum3 omega) {
    accum3 axes[3];
    rigid_axes(q, axes);
    vstore3(axes[0], 0, s + to);
    vstore3(axes[1], 1, s + to);
    vstore3(axes[2], 2, s + to);
    const accum3 length = vload3(0, p + 8) - vload3(0, p + 5);
    vstore3(vload3(0, s + RIGID_CENTRE) + vload3(0, s + RIGID_IMAGE) * length, 3, s + to);
    vstore3(v, 4, s + to);
    vstore3(omega, 5, s + to);
}

// The centre moves.
static inline void rigid_drift(__global accum *s, __global const accum *p, accum3 v) {
    vstore3(vload3(0, s + RIGID_CENTRE) + p[2] * v, 0, s + RIGID_CENTRE);
}

// It comes back into the box, when lists have been built.
static inline void rigid_wrap(__global accum *s, __global const accum *p) {
    for (int d = 0; d < 3; d++) {
        const accum lo = p[5 + d], hi = p[8 + d], length = hi - lo;
        for (int crossed = 0; p[11 + d] != 0 && crossed < 3; crossed++) {
            const accum x = s[RIGID_CENTRE + d];
            if (x < lo) {
                s[RIGID_CENTRE + d] = x + length;
                s[RIGID_IMAGE + d] -= 1;
            } else if (x >= hi) { // rounding may carry it just below the lower face
                s[RIGID_CENTRE + d] = fmax(x - length, lo);
                s[RIGID_IMAGE + d] += 1;
            }
        }
    }
}

// Takes force and torque, with gravity and with what a thermostat does to the body as it moves in the middle of the step. What a plane has no
// room for comes off.
static inline void rigid_add_forces(__global accum *s, const accum *sums, __global const accum *p, uint builds) {
    if (s[RIGID_BUILDS] != builds) rigid_wrap(s, p);
    s[RIGID_BUILDS] = builds;
    const accum mass = s[RIGID_MASS];
    accum3 force = vload3(0, sums) + mass * vload3(0, p + 14), torque = vload3(1, sums);
    if (p[19] != 0) {
        __global const accum *random = p + (uint)p[19] + 6 * (uint)s[RIGID_INDEX], *pose = s + RIGID_BEGUN;
        const accum3 push = p[17] * sqrt(mass) * vload3(0, random) - p[18] * mass * vload3(4, pose);
        const accum3 omega = vload3(5, pose), a = vload3(0, pose), b = vload3(1, pose), c = vload3(2, pose);
        const accum3 along = (accum3)(dot(a, omega), dot(b, omega), dot(c, omega)), moments = vload3(0, s + RIGID_MOMENTS);
        const accum3 twist = p[17] * sqrt(moments) * vload3(1, random) - p[18] * moments * along;
        const accum3 twisted = rigid_arm(pose, twist);
        vstore3(push, 0, s + RIGID_NOISE);
        vstore3(twisted, 1, s + RIGID_NOISE);
        force += vload3(0, s + RIGID_FREE) * push;
        torque += vload3(1, s + RIGID_FREE) * twisted;
    }
    if (p[4] != 0) force.z = torque.x = torque.y = 0;
    vstore3(force, 0, s + RIGID_FORCE);
    vstore3(torque, 1, s + RIGID_FORCE);
    vstore3(vload3(0, s + RIGID_CENTRE), 0, s + RIGID_CENTRE_END);
}

// rigid: turned by Richardson's extrapolation, the angular momentum by its change.
static inline void rigid_end(__global accum *s, const accum *sums, __global const accum *p, uint builds) {
    rigid_add_forces(s, sums, p, builds);
    const accum4 q = vload4(0, s + RIGID_TURN);
    const accum3 momentum = vload3(0, s + RIGID_MOMENTUM) + p[3] * rigid_torque(s);
    vstore3(momentum, 0, s + RIGID_MOMENTUM);
    rigid_store_pose(s, p, RIGID_END, q, rigid_push(s, p, RIGID_BEGUN), rigid_spin(q, vload3(0, s + RIGID_MOMENTS), momentum));
}

static inline void rigid_begin(__global accum *s, __global const accum *p, uint builds) {
    accum4 q = vload4(0, s + RIGID_TURN);
    const accum3 moments = vload3(0, s + RIGID_MOMENTS), v = rigid_push(s, p, RIGID_END);
    const accum3 momentum = vload3(0, s + RIGID_MOMENTUM) + p[3] * rigid_torque(s);
    vstore3(momentum, 0, s + RIGID_MOMENTUM);
    rigid_drift(s, p, v);
    const accum4 rate = rigid_vector_times(rigid_spin(q, moments, momentum), q);
    const accum4 whole = rigid_unit(q + (accum)0.5 * p[2] * rate);
    accum4 by_halves = rigid_unit(q + (accum)0.25 * p[2] * rate);
    const accum3 omega = rigid_spin(by_halves, moments, momentum);
    by_halves = rigid_unit(by_halves + (accum)0.25 * p[2] * rigid_vector_times(omega, by_halves));
    q = rigid_unit(2 * by_halves - whole);
    vstore4(q, 0, s + RIGID_TURN);
    rigid_store_pose(s, p, RIGID_BEGUN, q, v, omega);
}

// rigid/nve: by symplectic rotations about the body's axes 3 2 1 2 3, with the momentum conjugate to the orientation.
static inline void rigid_nve_end(__global accum *s, const accum *sums, __global const accum *p, uint builds) {
    rigid_add_forces(s, sums, p, builds);
    const accum4 q = vload4(0, s + RIGID_TURN);
    const accum3 omega = rigid_unconjugate(s, q, rigid_push_conjugate(s, p, q));
    rigid_store_pose(s, p, RIGID_END, q, rigid_push(s, p, RIGID_BEGUN), omega);
}

static inline void rigid_nve_begin(__global accum *s, __global const accum *p, uint builds) {
    accum4 q = vload4(0, s + RIGID_TURN), conjugate = rigid_push_conjugate(s, p, q);
    const accum3 v = rigid_push(s, p, RIGID_END);
    rigid_drift(s, p, v);
    ROLLED for (int part = 0; part < 5; part++) {
        const int axis = part < 2 ? 2 - part : part - 2;
        const accum moment = s[RIGID_MOMENTS + axis], dt = axis == 0 ? p[2] : (accum)0.5 * p[2];
        if (moment == 0) continue;
        const accum3 unit = along_axis(axis);
        const accum4 to_q = rigid_times_vector(q, unit), to_p = rigid_times_vector(conjugate, unit);
        const accum angle = dt * dot(conjugate, to_q) / (4 * moment), c = cos(angle), s_ = sin(angle);
        q = c * q + s_ * to_q;
        conjugate = c * conjugate + s_ * to_p;
    }
    vstore4(q, 0, s + RIGID_TURN);
    rigid_store_pose(s, p, RIGID_BEGUN, q, v, rigid_unconjugate(s, q, conjugate));
}
#endif
