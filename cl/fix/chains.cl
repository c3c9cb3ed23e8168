// fix nvt, npt and nph where the device goes through chains and barostat itself (after chain.cl; the twin is
// src/fixes/nose_hoover/motion.rs, which names the sources).
//   p[0] = dt, p[type] = dt / 2 / mass in velocity per force; behind them those of the chain, NVT(p)

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
CALLED void npt_push(accum *s, __global const accum *p, __global const Box *box) {
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
    const accum share = q[11] > 0 ? 1 / q[11] : 0, correction = kinetic * share;
    const accum volume = volume_of(box, (int)q[18]), per_nktv2p = 1 / q[16];
    accum speeds = 0;
    for (int d = 0; d < 3; d++) {
        const accum mass = q[4 + d], length = box->length[d];
        if (!(mass > 0)) continue;
        const accum per_mass = 1 / mass;
        accum force = (found[d] - pressure) * volume * per_mass * per_nktv2p + correction * per_mass;
        if (q[10] != 0) {
            const accum sigma = b[20] * (q[7 + d] - pressure) / (b[21 + d] * b[21 + d]);
            force -= length * length * sigma * per_mass * per_nktv2p;
        }
        b[17 + d] += force * (accum)0.5 * p[0];
        b[17 + d] *= q[2];
        speeds += b[17 + d];
    }
    b[13] = speeds * share;
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
        const accum root = growth_by((accum)-0.25 * p[0] * ((moves ? b[17 + d] : 0) + b[13])), press = root * root;
        s[d] = NVT(p)[d] != 0 ? factor * press : 1;
        b[d] = NVT(p)[d] != 0 ? press : 1;
        if (!moves) continue;
        const accum half_step = (accum)0.5 * p[0] * b[17 + d], still = q[19 + d];
        accum lo = box->lo[d], hi = box->hi[d];
        b[3 + d] = growth_by(half_step);
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
