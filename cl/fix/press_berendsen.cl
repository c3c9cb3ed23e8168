// fix press/berendsen where the device scales the box (cl/step/coupling.cl, cl/step/faces.cl; the twin is src/fixes/press_berendsen.rs).
//   0..6      what edge_pressures() reads
//   7..9      time step / (relaxation time * bulk modulus) per edge; 0 where it keeps its length
//   10..12    the target pressures of this step
//   12 + type the masses in energy units per velocity squared
// What it remembers: factors of positions (0..2), the point that stays (3..5), and 1 where the box would collapse (6).

#ifdef BOX_MOVES
static inline void berendsen_follow(Atom *a, const Here *h) {
    const accum3 middle = vload3(1, h->memory);
    a->x = middle + vload3(0, h->memory) * (a->x - middle);
}

static inline void berendsen_measure(const Atom *a, const Here *h, accum3 virial, accum *out) {
    vstore3(h->p[12 + a->type] * (a->v * a->v), 0, out);
    vstore3(virial, 1, out);
}

static inline void berendsen_after(accum *s, const accum *sums, __global const accum *p, __global Box *box) {
    accum found[3];
    edge_pressures(found, sums, sums + 3, p, box);
    for (int d = 0; d < 3; d++) {
        const accum volume = 1 - p[7 + d] * (p[10 + d] - found[d]);
        const accum lo = box->lo[d], hi = box->hi[d], middle = (accum)0.5 * (lo + hi);
        s[d] = 1;
        s[3 + d] = middle;
        if (p[7 + d] == 0) continue;
        if (volume <= 0) {
            s[6] = 1;
            continue;
        }
        s[d] = cbrt(volume);
        move_faces(box, d, (lo - middle) * s[d] + middle, (hi - middle) * s[d] + middle);
    }
}
#endif
