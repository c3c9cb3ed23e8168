// Lists in tiles, the rest of build_list (after build.cl): entries are 16-bit offsets among the candidates, which are kept as
// the block's tile. LANES work-items share an atom: each takes the candidates whose places leave a certain remainder, and makes
// a list of its own (cl/neighbor/list_buffer.cl).
#define CANDIDATE(k) tiles[tile + window + (k)]
#define place holder // where candidates come from, at first

    const uint capacity = rows * ENTRIES;
    const uint items = (end - begin) * LANES;
    for (uint base = 0; base < items; base += BLOCK_LOCAL) {
        const int active = base + lid < items;
        const uint lane = MODULO(lid, LANES);
        const uint i = begin + (active ? (base + lid) / LANES : 0);
        const uint item = (i - first) * LANES + lane;
        const staged mine = position[i];
#ifdef NO_TEMPORARIES
#define me convert_float3(displacement(position[i], center, box))
#else
        const float3 me = convert_float3(displacement(mine, center, box));
#endif
#if REACHES > 1
        __global const real *my_reach = reach + (staged_type(mine) - 1) * TYPES;
        KEEP_LIMITS
#endif
        const int number = home[i];
        const int3 at = place_of(number, box->cells[0], box->cells[1]) - from;
        const int3 least = max(at - (int3)(box->stencil[0], box->stencil[1], box->stencil[2]), (int3)(0));
        const int3 most = min(at + (int3)(box->stencil[0], box->stencil[1], box->stencil[2]), size - 1);
        WAITING_STATE // entries on their way to the list, and those in it
        size_t slot = list_begin(item, rows); // where the next chunk goes
        for (uint window = 0; window < candidates; window += TILE_ATOMS) {
            const uint held = min((uint)TILE_ATOMS, candidates - window);
            if (base == 0 || candidates > TILE_ATOMS) {
                barrier(CLK_LOCAL_MEM_FENCE);
                LOOK_UP_CANDIDATES((int)lid)
                barrier(CLK_LOCAL_MEM_FENCE);
#define KEEP_IN_TILE(k, j) if (base == 0) tiles[tile + window + (k)] = j;
                BRING_CANDIDATES(lid, KEEP_IN_TILE)
#if defined(DOUBLE) || defined(EXCLUDE)
                barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // the tile is read as well
#else
                barrier(CLK_LOCAL_MEM_FENCE);
#endif
            }
            NEEDLESS_BARRIER
            if (!active) continue;
            const uint stored_before = stored;
            const uint self = begins[(at.z * size.y + at.y) * size.x + at.x] + i - range[2 * number] - window;
            FOR_RUNS(least, most, size) {
                const uint last = min(max(begins[RUN_END], window) - window, held);
                uint k = max(begins[RUN], window) - window;
                k += MODULO(lane - k, LANES);
                while (k < last) {
                    // A bit for each of the turn's candidates, the last one's lowest. AT_ONCE are tested together, so some may
                    // be beyond the last.
                    const uint turn = k, tests = min((last - k + LANES - 1) / LANES, (uint)TURN);
                    uint hits = 0;
#ifdef DOUBLE
                    float nearest = slack; // how near to the limit any candidate's r^2 is
#endif
                    for (; k < turn + tests * LANES; k += AT_ONCE * LANES) {
SHORT_LOOP
                        for (uint t = 0; t < AT_ONCE; t++) {
                            const tile_rest rest = tile_z[PLACE(k + t * LANES)];
                            const float2 xy = tile_xy[PLACE(k + t * LANES)];
                            const float3 d = me - (float3)(xy.x, xy.y, Z_OF_REST(rest));
                            const float over = FMA(d.z, d.z, FMA(d.y, d.y, FMA(d.x, d.x, -FLOAT_LIMIT(rest))));
                            hits = hits << 1 | as_uint(over) >> 31;
#ifdef DOUBLE
                            nearest = fmin(nearest, fabs(over));
#endif
                            PARK(parked, hits)
                        }
                    }
                    hits >>= (k - turn) / LANES - tests;
                    k = turn + tests * LANES;
#ifdef DOUBLE
                    if (nearest < slack) {
                        // Some pair is not clearly inside or outside: all of them again, in double precision.
                        hits = 0;
                        for (uint j = turn; j < k; j += LANES) {
                            const staged other = position[CANDIDATE(j)];
                            const double rsq = square(displacement(position[i], center, box) - displacement(other, center, box));
                            hits = hits << 1 | (rsq <= LIMIT(staged_type(other)));
                        }
                    }
#endif
                    if (self - turn < k - turn && MODULO(k - self, LANES) == 0) hits &= ~(1u << ((k - self) / LANES - 1));
                    while (hits != 0) {
                        const uint back = 31 - clz(hits), other = k - (back + 1) * LANES;
                        hits ^= 1u << back;
                        if (INCLUDED(CANDIDATE(other))) HOLD(other)
                    }
                    while (BRIM(waiting)) STORE_CHUNK(1)
                }
                if (MODULO(++rows_done, STORE_ROWS) == 0)
                    while (in_bins(waiting) >= RESERVE) STORE_CHUNK(1)
            }
            // A window's entries fill whole chunks.
            neighbors[((window / TILE_ATOMS) * stride + i) * LANES + lane] = stored - stored_before + NUMBER_WAITING;
            while (in_bins(waiting) >= 8) STORE_CHUNK(1)
            if (waiting != 0) STORE_CHUNK(waiting != 0)
        }
        if (!active) continue;
        for (uint part = (candidates + TILE_ATOMS - 1) / TILE_ATOMS; part < tile_parts; part++)
            neighbors[(part * stride + i) * LANES + lane] = 0;
        if (stored > capacity) {
            atomic_max(&status[STATUS_LONGEST], stored * LANES);
            halt(status, step);
        }
    }
}
