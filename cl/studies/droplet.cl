// A droplet: van der Waals and Coulomb between all particles, in free space, no cutoff.
//   U = EPSILON [(RIJ / r)^12 - 2 (RIJ / r)^6] + q q' / r
// Positions are (x, y, z, charge).
#define ELEMENT REAL
#define SEPARATION_OF(a, b, axis) ((a) - (b))
#define OWN 1

static inline void fill_own(JOIN(REAL, 4) me, real *own) {
    own[0] = me.w;
}

static inline realv pair_term(const real *own, realv charge, realv rsq, realv *energy) {
    const realv rinv = rsqrt(rsq);
    const realv r2inv = rinv * rinv;
    const realv s2 = r2inv * (real)(RIJ * RIJ);
    const realv s6 = s2 * s2 * s2;
    const realv coulomb = own[0] * charge * rinv;
    *energy = FMA((real)EPSILON * s6, s6 - 2, coulomb);
    return FMA((real)(12 * EPSILON) * s6, s6 - 1, coulomb) * r2inv;
}

// Sums of the energies in force[].w: group g adds up the g-th part.
__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void droplet_energy(__global const JOIN(REAL, 4) *restrict force, __global real *restrict partial, uint first_partial,
                    uint n) {
    __local real shared[REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    const uint share = (n + (uint)get_num_groups(0) - 1) / (uint)get_num_groups(0);
    const uint first = min((uint)get_group_id(0) * share, n), last = min(first + share, n);
    real sum = 0;
    for (uint i = first + lid; i < last; i += REDUCE_LOCAL) sum += force[i].w;
    shared[lid] = sum;
    for (uint step = REDUCE_LOCAL / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < step) shared[lid] += shared[lid + step];
    }
    if (lid == 0) partial[first_partial + get_group_id(0)] = shared[0];
}

// x += RATE F, where F outside of the droplet includes the cap: -CAP (r^2 - R^2) x / R.
__kernel void droplet_move(__global JOIN(REAL, 4) *restrict position, __global const JOIN(REAL, 4) *restrict force,
                           real radius, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    JOIN(REAL, 4) x = position[i];
    real3 f = force[i].xyz;
    const real beyond = FMA(x.x, x.x, FMA(x.y, x.y, x.z * x.z)) - radius * radius;
    if (beyond > 0) f -= x.xyz * ((real)CAP * beyond / radius);
    x.xyz += f * (real)RATE;
    position[i] = x;
}

// Shifts everything so that `center` becomes the origin.
__kernel void droplet_center(__global JOIN(REAL, 4) *restrict position, JOIN(REAL, 4) center, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    position[i].xyz -= center.xyz;
}
