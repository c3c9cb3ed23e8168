// Tabulated functions: rows of four numbers, of which each pair of a vector has another one (before the files of pair styles). Whole rows are
// loaded, and transposed in registers.
//   Four rows_of(samples, at)   the numbers of the rows `at`, counted in rows of four
typedef struct {
    realv a, b, c, d;
} Four;

#define ROW(at) (*(__global const real4 *)(samples + 4 * (at)))
#define ROWS(a, b, c, d) (JOIN(REAL, 16))(ROW(at.a), ROW(at.b), ROW(at.c), ROW(at.d))
__attribute__((always_inline)) static inline Four rows_of(__global const real *samples, uintv at) {
    Four rows;
#if VW == 1
    const real4 row = ROW(at);
    rows.a = row.x, rows.b = row.y, rows.c = row.z, rows.d = row.w;
#elif VW == 2
    const real4 p = ROW(at.s0), q = ROW(at.s1);
    rows.a = (realv)(p.x, q.x), rows.b = (realv)(p.y, q.y), rows.c = (realv)(p.z, q.z), rows.d = (realv)(p.w, q.w);
#elif VW == 4
    const JOIN(REAL, 16) p = ROWS(s0, s1, s2, s3);
    rows.a = p.s048c, rows.b = p.s159d, rows.c = p.s26ae, rows.d = p.s37bf;
#elif VW == 8
    const JOIN(REAL, 16) p = ROWS(s0, s1, s2, s3), q = ROWS(s4, s5, s6, s7);
    rows.a = (realv)(p.s048c, q.s048c), rows.b = (realv)(p.s159d, q.s159d);
    rows.c = (realv)(p.s26ae, q.s26ae), rows.d = (realv)(p.s37bf, q.s37bf);
#else
    const JOIN(REAL, 16) p = ROWS(s0, s1, s2, s3), q = ROWS(s4, s5, s6, s7);
    const JOIN(REAL, 16) r = ROWS(s8, s9, sa, sb), s = ROWS(sc, sd, se, sf);
    rows.a = (realv)(p.s048c, q.s048c, r.s048c, s.s048c), rows.b = (realv)(p.s159d, q.s159d, r.s159d, s.s159d);
    rows.c = (realv)(p.s26ae, q.s26ae, r.s26ae, s.s26ae), rows.d = (realv)(p.s37bf, q.s37bf, r.s37bf, s.s37bf);
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
