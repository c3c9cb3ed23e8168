// fix restrain: springs between pairs of atoms, E = K (r - r0)^2.
//   p[0] number of pairs, for each of them: the lower and upper 16 bits of the two IDs, K, r0, not 0: only where it is shorter
//   memory[7 k ...] of pair k: the positions of its two atoms, and how many of them are there
#define RESTRAINT(h, k) ((h)->p + 1 + 7 * (k))
#define ID_OF(p) ((uint)(p)[0] | (uint)(p)[1] << 16)

// Adds up the positions of the pairs' atoms, then the energies: of pairs at a distance, of those beyond one.
static inline void add_ends(Atom *a, const Here *h) {
    const uint pairs = (uint)h->p[0];
    for (uint k = 0; k < pairs; k++) {
        for (uint end = 0; end < 2; end++) {
            if (a->tag != ID_OF(RESTRAINT(h, k) + 2 * end)) continue;
            const accum3 x = coordinates(a->x);
            ADD_UP(h, 7 * k + 3 * end, x.x);
            ADD_UP(h, 7 * k + 3 * end + 1, x.y);
            ADD_UP(h, 7 * k + 3 * end + 2, x.z);
            ADD_UP(h, 7 * k + 6, 1);
        }
    }
}

static inline void restrain(Atom *a, const Here *h) {
    add_ends(a, h);
    const uint pairs = (uint)h->p[0];
    for (uint k = 0; k < pairs; k++) {
        __global const accum *p = RESTRAINT(h, k), *ends = h->memory + 7 * k;
        const bool first = a->tag == ID_OF(p);
        if ((!first && a->tag != ID_OF(p + 2)) || ends[6] != 2) continue;
        const accum3 way = nearest_image(vload3(0, ends) - vload3(1, ends), h->box);
        const accum r = sqrt(dot(way, way)), stretch = r - p[5];
        if (p[6] != 0 && stretch >= 0) continue;
        if (first) { ADD_UP(h, 7 * pairs + (p[6] != 0), p[4] * stretch * stretch); }
        if (!(r > 0)) continue; // no direction
        const accum3 pull = -2 * p[4] * stretch / r * way;
        a->f += convert_real3(first ? pull : -pull);
    }
}
