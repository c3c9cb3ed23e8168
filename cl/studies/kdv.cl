// The Korteweg-de Vries equation on a period of `n` points, by the scheme of Zabusky and Kruskal
// (Phys. Rev. Lett. 15, 240 (1965)):
//   next = before - a (u[+1] + u[0] + u[-1]) (u[+1] - u[-1]) - b (u[+2] - 2 u[+1] + 2 u[-1] - u[-2])
//
// A work-group advances a tile of one run by `steps` steps and speaks to no other group. The tile is `owned`
// points and, where these are not the whole period, at least `halo` more at either side. Its two ends take
// each other for neighbours. That is right where the tile is the period; elsewhere it is wrong, and the wrong
// values move inwards by two points a step: with 2 steps <= halo they do not reach the owned points.
//   VW      points per work-item, or per vector on CPUs
//   ALONE   defined on CPUs: a tile is the work of one work-item
// Every point is computed by the same operations in the same order whatever the tiles, so its bits do not
// depend on them, and in fp64 they are those of the host twin.

typedef JOIN(REAL, 2) real2;

#define UPDATE(before, m2, m1, u, p1, p2) \
    ((before) - (a * ((p1) + (u) + (m1)) * ((p1) - (m1)) + b * (((p2) - (m2)) - 2 * ((p1) - (m1)))))

#ifndef ALONE

// Where point p of this group's tile lies.
#define PLACE(p) ((size_t)run * n + (first + (p)) % n)

// A work-item keeps VW neighbouring points in registers and shows the others the two at either end.
// `ends`: four times as many as work-items: first two and last two points, for even and for odd steps, so
// that one barrier a step is enough.
__kernel void kdv_steps(__global const real *restrict u_in, __global const real *restrict before_in,
                        __global real *restrict u_out, __global real *restrict before_out,
                        __local real2 *restrict ends, uint n, uint owned, uint halo, uint tiles, uint steps,
                        real a, real b) {
    const uint lid = get_local_id(0), items = get_local_size(0);
    const uint left = (lid == 0 ? items : lid) - 1, right = lid + 1 == items ? 0 : lid + 1;
    const uint run = get_group_id(0) / tiles, tile = get_group_id(0) % tiles;
    const uint first = tile * owned + n - halo % n;
    real u[VW], before[VW];
#pragma unroll
    for (uint k = 0; k < VW; k++) {
        u[k] = u_in[PLACE(lid * VW + k)];
        before[k] = before_in[PLACE(lid * VW + k)];
    }
    for (uint step = 0; step < steps; step++) {
        const uint heads = (step & 1) * 2 * items, tails = heads + items;
        ends[heads + lid] = (real2)(u[0], u[1]);
        ends[tails + lid] = (real2)(u[VW - 2], u[VW - 1]);
        barrier(CLK_LOCAL_MEM_FENCE);
        const real2 lower = ends[tails + left], upper = ends[heads + right];
        real w[VW + 4];
        w[0] = lower.x;
        w[1] = lower.y;
#pragma unroll
        for (uint k = 0; k < VW; k++) w[k + 2] = u[k];
        w[VW + 2] = upper.x;
        w[VW + 3] = upper.y;
#pragma unroll
        for (uint k = 0; k < VW; k++) {
            u[k] = UPDATE(before[k], w[k], w[k + 1], w[k + 2], w[k + 3], w[k + 4]);
            before[k] = w[k + 2];
        }
    }
#pragma unroll
    for (uint k = 0; k < VW; k++) {
        const uint p = lid * VW + k; // unsigned: a point before the owned ones is beyond their number, too
        if (p - halo < owned && tile * owned + (p - halo) < n) {
            u_out[PLACE(p)] = u[k];
            before_out[PLACE(p)] = before[k];
        }
    }
}

#else

#define LOAD(p) JOIN(vload, VW)(0, p)

// The two points beyond either end of the tile in the field that begins at `f`.
#define CLOSE(f)                                     \
    fields[f] = fields[(f) + width];                 \
    fields[(f) + 1] = fields[(f) + width + 1];       \
    fields[(f) + width + 2] = fields[(f) + 2];       \
    fields[(f) + width + 3] = fields[(f) + 3];

// A work-item passes over its tile vector by vector. `fields`: u and before by turns, each as the tile (in
// whole vectors) between two points of its other end.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void kdv_steps(__global const real *restrict u_in, __global const real *restrict before_in,
               __global real *restrict u_out, __global real *restrict before_out,
               __local real *restrict fields, uint n, uint owned, uint halo, uint tiles, uint steps,
               real a, real b) {
    const uint width = owned + 2 * halo;
    const uint stride = (width + VW - 1) / VW * VW + 4;
    const uint run = get_group_id(0) / tiles, tile = get_group_id(0) % tiles;
    const uint first = tile * owned + n - halo % n;
    uint at = first % n;
    for (uint p = 2; p < width + 2; p++) {
        fields[p] = u_in[run * (size_t)n + at];
        fields[stride + p] = before_in[run * (size_t)n + at];
        at = at + 1 == n ? 0 : at + 1;
    }
    // What fills the last vector is computed, too, and used by none.
    for (uint p = width + 2; p < stride; p++) fields[p] = fields[stride + p] = 0;
    CLOSE(0)
    for (uint step = 0; step < steps; step++) {
        const uint now = (step & 1) * stride, next = stride - now;
        for (uint p = 0; p < width; p += VW) {
            __local const real *const w = fields + now + p;
            __local real *const before = fields + next + p + 2;
            const realv u = UPDATE(LOAD(before), LOAD(w), LOAD(w + 1), LOAD(w + 2), LOAD(w + 3), LOAD(w + 4));
            JOIN(vstore, VW)(u, 0, before);
        }
        CLOSE(next)
    }
    const uint now = (steps & 1) * stride + 2, before = stride + 4 - now;
    const uint begin = tile * owned, end = min(begin + owned, n);
    for (uint j = begin; j < end; j++) {
        u_out[run * (size_t)n + j] = fields[now + halo + (j - begin)];
        before_out[run * (size_t)n + j] = fields[before + halo + (j - begin)];
    }
}

#endif
