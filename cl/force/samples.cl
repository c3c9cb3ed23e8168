// Tabulated functions: rows of four numbers, of which each pair of a vector has another one (before the files of pair styles).
//   Four rows_of(samples, at)   the numbers of the rows `at`, counted in rows of four
//   Six six_of(samples, at)     the first six of rows of eight
typedef struct {
    realv a, b, c, d;
} Four;
typedef struct {
    realv a, b, c, d, e, f;
} Six;

#define ROW(at) (*(__global const real4 *)(samples + 4 * (at)))
#define FOUR_ROWS(a, b, c, d) (JOIN(REAL, 16))(ROW(at.a), ROW(at.b), ROW(at.c), ROW(at.d))
static inline Four rows_of(__global const real *samples, uintv at) {
    Four rows;
    TRANSPOSE_ROWS(rows, at)
    return rows;
}

static inline Six six_of(__global const real *samples, uintv at) {
    const Four first = rows_of(samples, 2 * at), rest = rows_of(samples, 2 * at + 1);
    const Six six = {first.a, first.b, first.c, first.d, rest.a, rest.b};
    return six;
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

// Of one table, whose rows of eight begin at LOCAL_AT, a work-group may have the first six numbers of LOCAL_ROWS rows in local memory
// (src/engine/force/program.rs): fours of all rows, then twos. Bonds look at pairs by themselves, without it.
#if defined(LOCAL_ROWS) && !defined(MOLECULES)
#define ROWS_PARAMETER , __local const real *local_rows
#define ROWS_PASSED , local_rows
#define ROWS_SPACE(size) \
    __local real4 room_[LOCAL_ROWS + (LOCAL_ROWS + 1) / 2]; \
    __local real *const local_rows = (__local real *)room_; \
    for (uint row_ = get_local_id(0); row_ < LOCAL_ROWS; row_ += (size)) { \
        __global const real *from_ = table + SAMPLES_AT + 8 * (LOCAL_AT + row_); \
        vstore4(vload4(0, from_), row_, local_rows); \
        vstore2(vload2(2, from_), row_, local_rows + 4 * LOCAL_ROWS); \
    } \
    barrier(CLK_LOCAL_MEM_FENCE);
ALWAYS_INLINE Six local_row(__local const real *local_rows, uint at) {
    const real4 first = ((__local const real4 *)local_rows)[at];
    const real2 rest = ((__local const real2 *)(local_rows + 4 * LOCAL_ROWS))[at];
    const Six six = {first.x, first.y, first.z, first.w, rest.x, rest.y};
    return six;
}
#else
#undef LOCAL_ROWS
#define ROWS_PARAMETER
#define ROWS_PASSED
#define ROWS_SPACE(size)
#endif
