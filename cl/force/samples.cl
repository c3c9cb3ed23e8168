// Tabulated functions: rows of four numbers, of which each pair of a vector has another one (before the files of pair styles). Whole rows are
// loaded, and transposed in registers.
//   Four rows_of(samples, at)   the numbers of the rows `at`, counted in rows of four
typedef struct {
    realv a, b, c, d;
} Four;

#define ROW(at) (*(__global const real4 *)(samples + 4 * (at)))
static inline Four rows_of(__global const real *samples, uintv at) {
    Four rows;
#if VW == 1
    const real4 row = ROW(at);
    rows.a = row.x, rows.b = row.y, rows.c = row.z, rows.d = row.w;
#elif VW == 2
    const real4 p = ROW(at.s0), q = ROW(at.s1);
    rows.a = (realv)(p.x, q.x), rows.b = (realv)(p.y, q.y), rows.c = (realv)(p.z, q.z), rows.d = (realv)(p.w, q.w);
#else
    // Four rows at a time.
    uint places[VW];
    STOREV(at, places);
    real a[VW], b[VW], c[VW], d[VW];
SHORT_LOOP
    for (uint k = 0; k < VW; k += 4) {
        const real4 p = ROW(places[k]), q = ROW(places[k + 1]), r = ROW(places[k + 2]), s = ROW(places[k + 3]);
        vstore4((real4)(p.x, q.x, r.x, s.x), 0, a + k);
        vstore4((real4)(p.y, q.y, r.y, s.y), 0, b + k);
        vstore4((real4)(p.z, q.z, r.z, s.z), 0, c + k);
        vstore4((real4)(p.w, q.w, r.w, s.w), 0, d + k);
    }
    rows.a = LOADV(a), rows.b = LOADV(b), rows.c = LOADV(c), rows.d = LOADV(d);
#endif
    return rows;
}

// ((a p + b) p + c) p + d and, of three numbers, (a p + b) p + c.
static inline realv cubic_of(Four rows, realv p) {
    return FMA(FMA(FMA(rows.a, p, rows.b), p, rows.c), p, rows.d);
}
static inline realv parabola_of(Four rows, realv p) {
    return FMA(FMA(rows.a, p, rows.b), p, rows.c);
}
// The slope of the cubic.
static inline realv slope_of(Four rows, realv p) {
    return FMA(FMA(3 * rows.a, p, 2 * rows.b), p, rows.c);
}
