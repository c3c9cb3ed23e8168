// Tabulated functions: rows of four numbers, of which each pair of a vector has another one (before the files of pair styles).
//   Four rows_of(samples, at)   the numbers of the rows `at`, counted in rows of four
typedef struct {
    realv a, b, c, d;
} Four;

#define ROW(at) (*(__global const real4 *)(samples + 4 * (at)))
#define FOUR_ROWS(a, b, c, d) (JOIN(REAL, 16))(ROW(at.a), ROW(at.b), ROW(at.c), ROW(at.d))
static inline Four rows_of(__global const real *samples, uintv at) {
    Four rows;
    TRANSPOSE_ROWS(rows, at)
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
