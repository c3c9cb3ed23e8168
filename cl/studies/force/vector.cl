// The lanes of an atom are the components of a vector of LANES (4, 8 or 16) numbers that one work-item handles:
// what processors with vector units and no warps want. VW is LANES; the i-force is in registers. The last chunk
// of an atom is filled up with the dummy, which is too far away to count.

// Whole positions are loaded, and transposed in registers.
typedef JOIN(REAL, 16) real16;
#define QUAD(a, b, c, d) (real16)(position[a], position[b], position[c], position[d])
#if LANES == 4
#define LOAD_POSITIONS \
    const row4 p0 = position[j.s0], p1 = position[j.s1], p2 = position[j.s2], p3 = position[j.s3]; \
    const realv x = (realv)(p0.x, p1.x, p2.x, p3.x), y = (realv)(p0.y, p1.y, p2.y, p3.y); \
    const realv z = (realv)(p0.z, p1.z, p2.z, p3.z);
#define SUM(a) ((a.s0 + a.s1) + (a.s2 + a.s3))
#elif LANES == 8
#define LOAD_POSITIONS \
    const real16 q0 = QUAD(j.s0, j.s1, j.s2, j.s3), q1 = QUAD(j.s4, j.s5, j.s6, j.s7); \
    const realv x = (realv)(q0.s048c, q1.s048c), y = (realv)(q0.s159d, q1.s159d); \
    const realv z = (realv)(q0.s26ae, q1.s26ae);
#define SUM(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#else
#define LOAD_POSITIONS \
    const real16 q0 = QUAD(j.s0, j.s1, j.s2, j.s3), q1 = QUAD(j.s4, j.s5, j.s6, j.s7); \
    const real16 q2 = QUAD(j.s8, j.s9, j.sa, j.sb), q3 = QUAD(j.sc, j.sd, j.se, j.sf); \
    const realv x = (realv)(q0.s048c, q1.s048c, q2.s048c, q3.s048c); \
    const realv y = (realv)(q0.s159d, q1.s159d, q2.s159d, q3.s159d); \
    const realv z = (realv)(q0.s26ae, q1.s26ae, q2.s26ae, q3.s26ae);
#define SUM8(a) (((a.s0 + a.s1) + (a.s2 + a.s3)) + ((a.s4 + a.s5) + (a.s6 + a.s7)))
#define SUM(a) (SUM8(a.lo) + SUM8(a.hi))
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void lj_force(__global const row4 *restrict position, __global const uint *restrict begin,
              __global const uint *restrict neighbors, __global const uint *restrict list,
              __global real *force, uint n) {
    const uint i = min((uint)get_global_id(0), n);
    const uint chunks = (neighbors[i] + LANES - 1) / LANES;
    const row4 me = position[i];
    realv fx = 0, fy = 0, fz = 0;
    for (uint chunk = 0; chunk < chunks; chunk++) {
        const uintv j = JOIN(vload, VW)(0, list + LIST_ENTRY(i, chunk, 0));
        LOAD_POSITIONS
        const realv dx = x - me.x, dy = y - me.y, dz = z - me.z;
        const realv rsq = FMA(dz, dz, FMA(dy, dy, dx * dx));
        const realv r6 = rsq * rsq * rsq;
        const realv f = rsq < CUTSQ ? FMA((realv)(24), r6, (realv)(-48)) / (r6 * r6 * rsq) : (realv)(0);
        fx = FMA(f, dx, fx);
        fy = FMA(f, dy, fy);
        fz = FMA(f, dz, fz);
#if THIRD_LAW
        uint atom[LANES];
        real pull[LANES], ax[LANES], ay[LANES], az[LANES];
        JOIN(vstore, VW)(j, 0, atom);
        JOIN(vstore, VW)(f, 0, pull);
        JOIN(vstore, VW)(f * dx, 0, ax);
        JOIN(vstore, VW)(f * dy, 0, ay);
        JOIN(vstore, VW)(f * dz, 0, az);
        for (uint lane = 0; lane < LANES; lane++)
            if (pull[lane] != 0) add_to_row(force, atom[lane], -ax[lane], -ay[lane], -az[lane]);
#endif
    }
    if (i == n) return;
#if THIRD_LAW
    add_to_row(force, i, SUM(fx), SUM(fy), SUM(fz));
#else
    vstore4((row4)(SUM(fx), SUM(fy), SUM(fz), 0), i, force);
#endif
}
