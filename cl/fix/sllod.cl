// fix nvt/sllod: velocity Verlet with thermal velocities scaled by a chain, and pulled along by the flow.
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them, from FLOW(h) on:
//   0, 1       factors before the first kick and at the end of the step
//   2, 3       dt / 2; 1 where the flow pulls on the whole velocity
//   4          the velocity gradient xx yy zz, then xy xz yz
//   10, 13     the velocity of the box's lower corner, and where that is
#define FLOW(h) ((h)->p + TYPES + 1)

static inline accum3 along_flow(accum3 u, const Here *h) {
    __global const accum *g = FLOW(h) + 4;
    return (accum3)(g[0] * u.x + g[3] * u.y + g[4] * u.z, g[1] * u.y + g[5] * u.z, g[2] * u.z);
}

static inline void sllod_scale(Atom *a, const Here *h, accum factor) {
    __global const accum *p = FLOW(h);
    const accum3 stream =
        along_flow(coordinates(a->x) - (accum3)(p[13], p[14], p[15]), h) + (accum3)(p[10], p[11], p[12]);
    const accum3 thermal = a->v - stream;
    a->v = factor * thermal - p[2] * along_flow(p[3] == 0 ? thermal : a->v, h) + stream;
}

static inline void sllod_initial(Atom *a, const Here *h) {
    sllod_scale(a, h, FLOW(h)[0]);
    a->v += h->p[a->type] * convert_accum3(a->f);
    a->x = drift(a->x, h->p[0] * a->v);
}

static inline void sllod_final(Atom *a, const Here *h) {
    a->v += h->p[a->type] * convert_accum3(a->f);
}

static inline void sllod_end(Atom *a, const Here *h) {
    sllod_scale(a, h, FLOW(h)[1]);
}
