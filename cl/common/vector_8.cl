// Vectors of eight values (VW = 8; vector_4.cl says what these are).

#define NUMBERED 0, 1, 2, 3, 4, 5, 6, 7
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3), m(j.s4), m(j.s5), m(j.s6), m(j.s7)
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) SUM8(a)
#define LOAD_LIST(p) (uint8)(LOAD4(p), LOAD4((p) + 4))
#define STORE_LIST(word, p) for (uint k_ = 0; k_ < VW; k_++) (p)[k_] = word[k_];
#define ADD_EIGHT(add, low, high) add(low.x, high.x, low.y, high.y, low.z, high.z, low.w, high.w)
#define TRANSPOSE_ROWS(rows, at) \
    const JOIN(REAL, 16) p = FOUR_ROWS(s0, s1, s2, s3), q = FOUR_ROWS(s4, s5, s6, s7); \
    rows.a = (realv)(p.s048c, q.s048c), rows.b = (realv)(p.s159d, q.s159d); \
    rows.c = (realv)(p.s26ae, q.s26ae), rows.d = (realv)(p.s37bf, q.s37bf);
// Positions and types of VW atoms, as one vector per component (QUAD of cl/neighbor/list_layout.cl).
#define LOAD_POSITIONS(J) \
    const staged16 q0 = QUAD(J(0), J(1), J(2), J(3)), q1 = QUAD(J(4), J(5), J(6), J(7)); \
    const stagedv x = (stagedv)(q0.s048c, q1.s048c), y = (stagedv)(q0.s159d, q1.s159d); \
    const stagedv z = (stagedv)(q0.s26ae, q1.s26ae), w = (stagedv)(q0.s37bf, q1.s37bf);
#define FILLED(v) v, v
#define COPY_ENTRIES(from, to) vstore2(vload2(0, from), 0, to);
