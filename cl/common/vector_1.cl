// Vectors of one value, which are the value (VW = 1; vector_4.cl says what these are).

#define NUMBERED 0
#define GATHER(m) m(j)
#define SUM(a) (a)
#define LOAD_LIST(p) (*(p))
#define STORE_LIST(word, p) *(p) = word[0];
#define ADD_EIGHT(add, low, high) \
    add(low.x) add(high.x) add(low.y) add(high.y) \
    add(low.z) add(high.z) add(low.w) add(high.w)
#define TRANSPOSE_ROWS(rows, at) \
    const real4 row = ROW(at); \
    rows.a = row.x, rows.b = row.y, rows.c = row.z, rows.d = row.w;
