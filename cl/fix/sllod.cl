// fix nvt/sllod (after chain.cl): velocity Verlet with thermal velocities scaled by a chain, and pulled along by the flow.
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them those of the chain, NVT(p), then from FLOW(p) on:
//   0, 1       dt / 2; 1 where the flow pulls on the whole velocity
//   2          the velocity gradient xx yy zz, then xy xz yz
//   8, 11      the velocity of the box's lower corner, and where that is
//   14, 15     by the host: factors before the first kick and at the end of the step
// By the device (cl/step/coupling.cl) the factors are those that the chain leaves where it is remembered.
#define FLOW(p) (NVT(p) + 11 + TYPES)

static inline accum3 along_flow(accum3 u, const Here *h) {
    __global const accum *g = FLOW(h->p) + 2;
    return (accum3)(g[0] * u.x + g[3] * u.y + g[4] * u.z, g[1] * u.y + g[5] * u.z, g[2] * u.z);
}

// The velocity of the flow where the atom is.
static inline accum3 streaming(const Atom *a, const Here *h) {
    __global const accum *q = FLOW(h->p);
    return along_flow(coordinates(a->x) - vload3(0, q + 11), h) + vload3(0, q + 8);
}

static inline void sllod_scale(Atom *a, const Here *h, accum factor) {
    __global const accum *q = FLOW(h->p);
    const accum3 stream = streaming(a, h), thermal = a->v - stream;
    a->v = factor * thermal - q[0] * along_flow(q[1] == 0 ? thermal : a->v, h) + stream;
}

static inline void sllod_move(Atom *a, const Here *h, accum factor) {
    sllod_scale(a, h, factor);
    a->v += h->p[a->type] * convert_accum3(a->f);
    a->x = drift(a->x, h->p[0] * a->v);
}

static inline void sllod_final(Atom *a, const Here *h) {
    a->v += h->p[a->type] * convert_accum3(a->f);
}

// By the host.
static inline void sllod_initial(Atom *a, const Here *h) {
    sllod_move(a, h, FLOW(h->p)[14]);
}

static inline void sllod_end(Atom *a, const Here *h) {
    sllod_scale(a, h, FLOW(h->p)[15]);
}

// By the device.
static inline void sllod_initial_remembered(Atom *a, const Here *h) {
    sllod_move(a, h, h->memory[0]);
}

static inline void sllod_end_remembered(Atom *a, const Here *h) {
    sllod_scale(a, h, h->memory[3]);
}

// An atom's part of m v v, relative to the flow.
static inline void sllod_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    const accum3 v = a->v - streaming(a, h);
    out[0] = NVT(h->p)[10 + a->type] * (v.x * v.x + v.y * v.y + v.z * v.z);
}
