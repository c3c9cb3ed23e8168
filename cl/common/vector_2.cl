// Vectors of two values (VW = 2; vector_4.cl says what these are).

#define NUMBERED 0, 1
#define GATHER(m) m(j.s0), m(j.s1)
#define SUM(a) (a.s0 + a.s1)
#define LOAD_LIST(p) (*(__global const uint2 *)(p))
#define STORE_LIST(word, p) *(__global uint2 *)(p) = (uint2)(word[0], word[1]);
#define ADD_EIGHT(add, low, high) add(low.x, high.x) add(low.y, high.y) add(low.z, high.z) add(low.w, high.w)
#define TRANSPOSE_ROWS(rows, at) \
    const real4 p = ROW(at.s0), q = ROW(at.s1); \
    rows.a = (realv)(p.x, q.x), rows.b = (realv)(p.y, q.y), rows.c = (realv)(p.z, q.z), rows.d = (realv)(p.w, q.w);
