// Vectors of sixteen values (VW = 16; vector_4.cl says what these are). Lists in tiles, whose chunks have eight entries, are not read by so many.

#define NUMBERED 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3), m(j.s4), m(j.s5), m(j.s6), m(j.s7), \
                  m(j.s8), m(j.s9), m(j.sa), m(j.sb), m(j.sc), m(j.sd), m(j.se), m(j.sf)
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) (SUM8(a.lo) + SUM8(a.hi))
#define LOAD_LIST(p) (uint16)(LOAD4(p), LOAD4((p) + 4), LOAD4((p) + 8), LOAD4((p) + 12))
#define STORE_LIST(word, p) for (uint k_ = 0; k_ < VW; k_++) (p)[k_] = word[k_];
#define TRANSPOSE_ROWS(rows, at) \
    const JOIN(REAL, 16) p = FOUR_ROWS(s0, s1, s2, s3), q = FOUR_ROWS(s4, s5, s6, s7); \
    const JOIN(REAL, 16) r = FOUR_ROWS(s8, s9, sa, sb), s = FOUR_ROWS(sc, sd, se, sf); \
    rows.a = (realv)(p.s048c, q.s048c, r.s048c, s.s048c), rows.b = (realv)(p.s159d, q.s159d, r.s159d, s.s159d); \
    rows.c = (realv)(p.s26ae, q.s26ae, r.s26ae, s.s26ae), rows.d = (realv)(p.s37bf, q.s37bf, r.s37bf, s.s37bf);
#define LOAD_POSITIONS(J) \
    const staged16 q0 = QUAD(J(0), J(1), J(2), J(3)), q1 = QUAD(J(4), J(5), J(6), J(7)); \
    const staged16 q2 = QUAD(J(8), J(9), J(a), J(b)), q3 = QUAD(J(c), J(d), J(e), J(f)); \
    const stagedv x = (stagedv)(q0.s048c, q1.s048c, q2.s048c, q3.s048c); \
    const stagedv y = (stagedv)(q0.s159d, q1.s159d, q2.s159d, q3.s159d); \
    const stagedv z = (stagedv)(q0.s26ae, q1.s26ae, q2.s26ae, q3.s26ae); \
    const stagedv w = (stagedv)(q0.s37bf, q1.s37bf, q2.s37bf, q3.s37bf);
#define FILLED(v) v, v, v, v
#define COPY_ENTRIES(from, to) vstore4(vload4(0, from), 0, to);
