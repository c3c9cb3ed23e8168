// Vectors of four values (VW = 4): what is written out component by component. For other widths vector_1.cl to vector_16.cl define the same
// words; src/engine/kernels.rs takes the file of the width.

// Numbers from 0 on, one for each component.
#define NUMBERED 0, 1, 2, 3
// m of the VW atoms j.
#define GATHER(m) m(j.s0), m(j.s1), m(j.s2), m(j.s3)
// The sum of the components, in pairs.
#define SUM(a) ((a.s0 + a.s1) + (a.s2 + a.s3))
// VW entries of a list.
#define LOAD_LIST(p) LOAD4(p)
#define STORE_LIST(word, p) STORE4((uint4)(word[0], word[1], word[2], word[3]), p);
// Eight entries of a list in tiles, by vectors.
#define ADD_EIGHT(add, low, high) \
    add(low.x, high.x, low.y, high.y) \
    add(low.z, high.z, low.w, high.w)
// Whole rows of a table are loaded, and transposed in registers: ROW, FOUR_ROWS, rows of cl/force/samples.cl.
#define TRANSPOSE_ROWS(rows, at) \
    const JOIN(REAL, 16) p = FOUR_ROWS(s0, s1, s2, s3); \
    rows.a = p.s048c, rows.b = p.s159d, rows.c = p.s26ae, rows.d = p.s37bf;
// With four atoms of a cluster: what fills a vector with v of each of them, and a copy of so many entries as a vector has pairs with.
#define FILLED(v) v
#define COPY_ENTRIES(from, to) *(to) = *(from);
