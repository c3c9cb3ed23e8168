// fix nvt, npt and nph where the device goes through chains and barostat itself (cl/feedback.cl; the twins are
// src/fix/chain.rs and src/fix/nose_hoover/motion.rs, which name the sources).
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them, from NVT(p) on:
//   0..2      1 where a component of the velocity is thermal, else 0
//   3, 4, 5   links of the chain (0: no thermostat), parts of its half step, what each part multiplies the links'
//             velocities by (drag)
//   6, 7, 8   degrees of freedom, kB, 1 / damping time
//   9         the target temperature of this step
//   10 + type the masses in energy units per velocity squared
// What it remembers, from h->memory on: factors of velocities before the first kick (0..2) and at the end of the step
// (3..5), the temperature (6), then positions of the links, velocities (one more, which stays 0), accelerations.
#define NVT(p) ((p) + TYPES + 1)
#define NVT_LINKS 7

static inline void nvt_initial(Atom *a, const Here *h) {
    a->v = a->v * vload3(0, h->memory) + h->p[a->type] * convert_accum3(a->f);
    a->x = drift(a->x, h->p[0] * a->v);
}

static inline void nvt_final(Atom *a, const Here *h) {
    a->v += h->p[a->type] * convert_accum3(a->f);
}

static inline void nvt_end(Atom *a, const Here *h) {
    a->v *= vload3(1, h->memory);
}

// An atom's part of m v v.
static inline void nvt_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    const accum3 v = a->v * vload3(0, NVT(h->p));
    out[0] = NVT(h->p)[10 + a->type] * (v.x * v.x + v.y * v.y + v.z * v.z);
}

// Half a step of a chain on degrees of freedom with twice the kinetic energy `kinetic`, which is to become `target`;
// `first` and `mass` are the masses of its first link and of the others. Returns the factor of their velocities.
static inline accum chain_half_step(accum *x, int links, int loops, accum drag, accum dt, accum kinetic, accum target,
                                    accum kt, accum first, accum mass) {
    const accum part = (accum)1 / loops, half_dt = (accum)0.5 * dt;
    const accum quarter = (accum)0.25 * dt, eighth = (accum)0.125 * dt;
    accum *v = x + links, *a = v + links + 1;
    accum total = 1;
    a[0] = first > 0 ? (kinetic - target) / first : 0;
    for (int k = 0; k < loops; k++) {
        accum damping = 1;
        for (int i = links - 1; i >= 0; i--) {
            damping = exp(-part * eighth * v[i + 1]);
            v[i] *= damping;
            v[i] += a[i] * part * quarter;
            v[i] *= drag;
            v[i] *= damping;
        }
        const accum factor = exp(-part * half_dt * v[0]);
        total *= factor;
        kinetic *= factor * factor;
        a[0] = first > 0 ? (kinetic - target) / first : 0;
        for (int i = 0; i < links; i++) x[i] += part * half_dt * v[i];
        v[0] *= damping;
        v[0] += a[0] * part * quarter;
        v[0] *= damping;
        for (int i = 1; i < links; i++) {
            damping = exp(-part * eighth * v[i + 1]);
            v[i] *= damping;
            a[i] = ((i == 1 ? first : mass) * (v[i - 1] * v[i - 1]) - kt) / mass;
            v[i] += a[i] * part * quarter;
            v[i] *= damping;
        }
    }
    return total;
}

// That of the chain on the atoms; returns the factor of their velocities, which the temperature s[6] follows.
static inline accum nvt_half_step(accum *s, __global const accum *p) {
    const accum freedom = NVT(p)[6], kt = NVT(p)[7] * NVT(p)[9];
    const accum mass = kt / (NVT(p)[8] * NVT(p)[8]);
    const accum factor = chain_half_step(s + NVT_LINKS, (int)NVT(p)[3], (int)NVT(p)[4], NVT(p)[5], p[0],
                                         freedom * NVT(p)[7] * s[6], freedom * kt, kt, freedom * mass, mass);
    s[6] *= factor * factor;
    return factor;
}

// The thermal components times a factor, the others as they are.
static inline void nvt_factors(accum *out, accum factor, __global const accum *p) {
    for (int d = 0; d < 3; d++) out[d] = NVT(p)[d] != 0 ? factor : 1;
}

// Before positions move.
static inline void nvt_before(accum *s, __global const accum *p, __global Box *box) {
    nvt_factors(s, nvt_half_step(s, p), p);
}

// When velocities have followed the forces; sums[0] is m v v over the group.
static inline void nvt_after(accum *s, const accum *sums, __global const accum *p, __global Box *box) {
    s[6] = NVT(p)[6] > 0 ? sums[0] / (NVT(p)[6] * NVT(p)[7]) : 0;
    nvt_factors(s + 3, nvt_half_step(s, p), p);
}

#ifdef BOX_MOVES
// npt and nph, of all atoms in an orthogonal box. Behind the parameters of nvt, from NPT(p) on:
//   0, 1, 2    links of the box's chain, parts of its half step, what each part multiplies the links' velocities by
//   3          the mass of a link
//   4..6       the masses of the edges; 0 where an edge keeps its length
//   7..9       the target pressures
//   10, 11     1 where they may differ; edges that move times atoms, which share the correction of Martyna, Tuckerman and
//              Klein, 0 without it
//   12..18     what edge_pressures() reads
//   19..21     the point that stays
//   22         the group whose positions follow the box, as a bit
//   23         1 where deviations are measured from the box of this step
// What they remember, behind the chain, from NPT_BOX(s, p) on: factors of velocities after the second kick (0..2),
// factors of positions, twice in a step (3..5), m v v (6..8), the virial (9..11), the target temperature (12), the
// correction of velocities (13), the logarithms of the edges (14..16) and how fast they change (17..19), the volume
// (20) and the edges (21..23) that deviations are measured from, then the box's chain.
#define NPT(p) (NVT(p) + 11 + TYPES)
#define NPT_BOX(s, p) ((s) + NVT_LINKS + 3 * (int)NVT(p)[3] + 1)
#define NPT_REMEMBERED 24

static inline master3 npt_dilate(const Atom *a, const Here *h) {
    const accum3 fixed_point = vload3(0, NPT(h->p) + 19);
    const accum3 factor = vload3(1, NPT_BOX(h->memory, h->p));
    return a->mask & (uint)NPT(h->p)[22] ? fixed_point + factor * (a->x - fixed_point) : a->x;
}

static inline void npt_initial(Atom *a, const Here *h) {
    a->v = a->v * vload3(0, h->memory) + h->p[a->type] * convert_accum3(a->f);
    a->x = npt_dilate(a, h);
    a->x = drift(a->x, h->p[0] * a->v);
    a->x = npt_dilate(a, h);
}

static inline void npt_final(Atom *a, const Here *h) {
    a->v = (a->v + h->p[a->type] * convert_accum3(a->f)) * vload3(0, NPT_BOX(h->memory, h->p));
}

// An atom's part of m v v and of the virial.
static inline void npt_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    const accum3 v = a->v * vload3(0, NVT(h->p));
    vstore3(NVT(h->p)[10 + a->type] * (v * v), 0, out);
    vstore3(virial, 1, out);
}

// Half a step of the edges by the pressure.
static inline void npt_push(accum *s, __global const accum *p, __global const Box *box) {
    __global const accum *q = NPT(p);
    accum *b = NPT_BOX(s, p);
    accum found[3];
    edge_pressures(found, b + 6, b + 9, q + 12, box);
    accum pressure = 0, kinetic = 0, moving = 0;
    for (int d = 0; d < 3; d++) {
        pressure += q[7 + d];
        moving += q[4 + d] > 0;
        kinetic += q[4 + d] > 0 ? b[6 + d] : 0;
    }
    pressure /= moving;
    if (q[15] != 0) kinetic = NVT(p)[6] * NVT(p)[7] * s[6];
    const accum correction = q[11] > 0 ? kinetic / q[11] : 0;
    const accum volume = volume_of(box, (int)q[18]), nktv2p = q[16];
    accum speeds = 0;
    for (int d = 0; d < 3; d++) {
        const accum mass = q[4 + d], length = box->length[d];
        if (!(mass > 0)) continue;
        accum force = (found[d] - pressure) * volume / (mass * nktv2p) + correction / mass;
        if (q[10] != 0) {
            const accum sigma = b[20] * (q[7 + d] - pressure) / (b[21 + d] * b[21 + d]);
            force -= length * length * sigma / (mass * nktv2p);
        }
        b[17 + d] += force * (accum)0.5 * p[0];
        b[17 + d] *= q[2];
        speeds += b[17 + d];
    }
    b[13] = q[11] > 0 ? speeds / q[11] : 0;
}

// Half a step of the box's chain, which scales the speeds of the edges.
static inline void npt_box_half_step(accum *s, __global const accum *p) {
    __global const accum *q = NPT(p);
    accum *b = NPT_BOX(s, p);
    const int links = (int)q[0];
    if (links == 0) return;
    const accum kt = NVT(p)[7] * b[12];
    accum kinetic = 0, moving = 0;
    for (int d = 0; d < 3; d++) {
        kinetic += q[4 + d] * (b[17 + d] * b[17 + d]);
        moving += q[4 + d] > 0;
    }
    const accum target = q[15] != 0 ? kt : moving * kt;
    const accum factor =
        chain_half_step(b + NPT_REMEMBERED, links, (int)q[1], q[2], p[0], kinetic, target, kt, q[3], q[3]);
    for (int d = 0; d < 3; d++) b[17 + d] *= factor;
}

// Half a step of the chain on the atoms, if there is one; m v v follows.
static inline accum npt_half_step(accum *s, __global const accum *p) {
    accum *b = NPT_BOX(s, p);
    const accum factor = NVT(p)[3] > 0 ? nvt_half_step(s, p) : 1;
    for (int d = 0; d < 3; d++) b[6 + d] *= factor * factor;
    return factor;
}

// Before positions move: chains, the speeds of the edges, the box.
static inline void npt_before(accum *s, __global const accum *p, __global Box *box) {
    __global const accum *q = NPT(p);
    accum *b = NPT_BOX(s, p);
    npt_box_half_step(s, p);
    b[12] = NVT(p)[9];
    const accum factor = npt_half_step(s, p);
    if (q[23] != 0) {
        b[20] = volume_of(box, (int)q[18]);
        for (int d = 0; d < 3; d++) b[21 + d] = box->length[d];
    }
    npt_push(s, p, box);
    for (int d = 0; d < 3; d++) {
        const int moves = q[4 + d] > 0;
        const accum root = exp((accum)-0.25 * p[0] * ((moves ? b[17 + d] : 0) + b[13])), press = root * root;
        s[d] = NVT(p)[d] != 0 ? factor * press : 1;
        b[d] = NVT(p)[d] != 0 ? press : 1;
        if (!moves) continue;
        const accum half_step = (accum)0.5 * p[0] * b[17 + d], still = q[19 + d];
        accum lo = box->lo[d], hi = box->hi[d];
        b[3 + d] = exp(half_step);
        for (int half_no = 0; half_no < 2; half_no++) {
            b[14 + d] += half_step;
            lo = (lo - still) * b[3 + d] + still;
            hi = (hi - still) * b[3 + d] + still;
        }
        move_faces(box, d, lo, hi);
    }
}

// When velocities have followed the forces; the sums are those of npt_measure.
static inline void npt_after(accum *s, const accum *sums, __global const accum *p, __global Box *box) {
    accum *b = NPT_BOX(s, p);
    for (int k = 0; k < 6; k++) b[6 + k] = sums[k];
    s[6] = NVT(p)[6] > 0 ? (sums[0] + sums[1] + sums[2]) / (NVT(p)[6] * NVT(p)[7]) : 0;
    npt_push(s, p, box);
    nvt_factors(s + 3, npt_half_step(s, p), p);
    npt_box_half_step(s, p);
}
#endif
