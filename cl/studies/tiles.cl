// All pairs by tiles: a work-group stages BLOCK positions in local memory, every work-item meets its atom with
// all of them, and the next tile follows. A study supplies, before this file,
//   ELEMENT                    scalar type of positions (x, y, z, w)
//   SEPARATION_OF(a, b, axis)  VW differences of one coordinate
//   UNIT, UNIT_SQUARED         the length that these are multiples of, and its square; without: they are lengths
//   OWN                        how many numbers of its own atom a work-item keeps
//   fill_own(me, own)          fills them in
//   pair_term(own, w, rsq, &energy)   F / r of VW pairs, sets their energies
// and the host
//   BLOCK   work-items per group, and positions per tile
//   LANES   work-items per atom, which share each tile (a power of two, 1 where VW > 1)
//   VW      positions of a tile that a work-item takes at once, as one vector
//   TALLY   also energies

typedef JOIN(ELEMENT, 4) element4;
typedef JOIN(REAL, 4) row4;
#define ATOMS (BLOCK / LANES)

// Places within a tile, in integers as wide as `real`, so that their comparisons select reals.
typedef maskv placev;
#if VW == 1
typedef ELEMENT elementv;
#else
typedef JOIN(ELEMENT, VW) elementv;
#endif

#if TALLY
#define TILES_KERNEL tiles_force_tally
#else
#define TILES_KERNEL tiles_force
#endif

#ifdef UNIT
#define SQUARE_OF(rsq) ((rsq) * (real)UNIT_SQUARED)
#else
#define SQUARE_OF(rsq) (rsq)
#endif
#if TALLY
#define ADD_ENERGY(e) sum += (e)
#else
#define ADD_ENERGY(e)
#endif

// Of places k VW to k VW + VW - 1 of the tile: F / r and the energies of the pairs with them, which are added as `pull` and `energy` or as what
// is written with these.
//= piece pair_of_tile
#if VW == 1
                const element4 other = tile[k];
                const elementv x = other.x, y = other.y, z = other.z, w = other.w;
#else
                const elementv x = tile_x[k], y = tile_y[k], z = tile_z[k], w = tile_w[k];
#endif
                const realv dx = SEPARATION_OF(me.x, x, X), dy = SEPARATION_OF(me.y, y, Y), dz = SEPARATION_OF(me.z, z, Z);
                const realv rsq = SQUARE_OF(FMA(dz, dz, FMA(dy, dy, dx * dx)));
                realv energy;
                const realv pull = pair_term(own, w, rsq, &energy);
//= end
#define ADD_PAIR(force_, energy_) { \
    const realv f = force_; \
    fx = FMA(dx, f, fx); \
    fy = FMA(dy, f, fy); \
    fz = FMA(dz, f, fz); \
    ADD_ENERGY(energy_); \
}

// force: per atom (F, energy), the energy being half of that of its pairs; 0 without TALLY.
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void TILES_KERNEL(__global const element4 *restrict position, __global row4 *restrict force, uint n) {
    // Whole positions for a work-item that reads one at a time, one array per component for vectors.
#if VW == 1
    __local element4 tile[BLOCK];
#else
    __local elementv tile_x[BLOCK / VW], tile_y[BLOCK / VW], tile_z[BLOCK / VW], tile_w[BLOCK / VW];
#endif
    const uint lid = get_local_id(0);
    const uint first = get_group_id(0) * ATOMS;
    const uint i = first + lid % ATOMS;
    const int lane = lid / ATOMS;
    const element4 me = position[min(i, n - 1)];
    real own[OWN];
    fill_own(me, own);
    realv fx = 0, fy = 0, fz = 0, sum = 0;
    for (uint base = 0; base < n; base += BLOCK) {
        const element4 mine = position[min(base + lid, n - 1)];
        barrier(CLK_LOCAL_MEM_FENCE); // until all have done with the last tile
#if VW == 1
        tile[lid] = mine;
#else
        ((__local ELEMENT *)tile_x)[lid] = mine.x;
        ((__local ELEMENT *)tile_y)[lid] = mine.y;
        ((__local ELEMENT *)tile_z)[lid] = mine.z;
        ((__local ELEMENT *)tile_w)[lid] = mine.w;
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
#if VW == 1
        // Most tiles are full and without the group's own atoms: nothing is left out. Vectors share the cost of that.
        if (base + BLOCK <= n && (base + BLOCK <= first || base >= first + ATOMS)) {
#pragma unroll 4
            for (int k = lane; k < BLOCK; k += LANES) {
                //= insert pair_of_tile
                ADD_PAIR(pull, energy)
            }
            continue;
        }
#endif
        const int count = min(n - base, (uint)BLOCK), self = (int)(i - base);
        for (int k = lane; k * VW < count; k += LANES) {
            const placev place = (placev)(NUMBERED) + k * VW;
            const placev keep = (place != self) & (place < count);
            // A select, as an atom's own term is infinite.
            //= insert pair_of_tile
            ADD_PAIR(keep ? pull : (realv)(0), keep ? energy : (realv)(0))
        }
    }
    row4 total = (row4)(SUM(fx), SUM(fy), SUM(fz), SUM(sum) / 2);
#ifdef UNIT
    total.xyz *= UNIT;
#endif
#if LANES > 1
    __local row4 shared[BLOCK];
    shared[lid] = total;
    for (int step = LANES / 2; step > 0; step >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step) shared[lid] += shared[lid + step * ATOMS];
    }
    total = shared[lid];
#endif
    if (lane == 0 && i < n) force[i] = total;
}
