// Plain lists, the rest of build_list (after build.cl): entries are places in `position`. A work-item tests an atom with a
// line of cells. Which of its candidates are near becomes a mask, of 32 of them at a time; the masks of the lines before say where
// these stand among all of the atom's entries, and chunks of those go to its LANES lists in turn, so that all are as long.
#define ENTRIES VW
// Room for so many atoms at a time at most (a block of a liquid has 19 to 24), their lines (25, by fours; with more cells per reach 49 or
// 81) and their entries (75 to 100).
#define BATCH (BLOCK_LOCAL < 64 ? BLOCK_LOCAL : 64)
#define CHOSEN_OF_ONE ((TILE_ATOMS + ENTRIES - 1) / ENTRIES * ENTRIES)
#define CHOSEN LARGER(32 * 130, CHOSEN_OF_ONE + 2)

    __local uint place[TILE_ATOMS]; // where candidates come from
    // Of each atom of a batch: its place among the candidates, its cell, what it is padded with, the chunks of the windows before,
    // and by turns the entries before a pass and after it.
    __local uint self[BATCH], dummy[BATCH], chunks[BATCH], taken[2 * BATCH];
    __local ushort cell[3 * BATCH];
    __local float spot[4 * BATCH]; // where it is, with its type
    // Of each line of each atom, which candidates are near, from which one on, how many; and all of these, atom by atom.
#define LINE(k) holder[k]
    __local ushort starts[MASKS], chosen[CHOSEN];
    __local uint near_by_fours[MASKS / 4];
#define NEAR(k) ((__local uchar *)near_by_fours)[k]
    const uint across = min(2 * box->stencil[1] + 1, size.y), lines = across * min(2 * box->stencil[2] + 1, size.z);
    const uint at_a_time = min(lines, (uint)MASKS), fours = (at_a_time + 3) / 4; // lines in a pass
    const uint room = min(rows * ENTRIES * LANES, (uint)CHOSEN_OF_ONE);
#define CHOSEN_BY(a) ((a) * (room + 2)) // so that those of equal rank are not all in one bank
    const uint batch = min(min((uint)BATCH, (uint)MASKS / (4 * fours)), (uint)CHOSEN / (room + 2));
    for (uint base = begin; base < end; base += batch) {
        const uint atoms = min(batch, end - base);
        // Work-items take line l of atom a by turns, neighbours one of neighbouring atoms; and go on to the next in their turn.
        const uint first_l = lid / atoms, first_a = LEFT_BY(lid, first_l, atoms);
        const uint more_l = BLOCK_LOCAL / atoms, more_a = LEFT_BY(BLOCK_LOCAL, more_l, atoms);
#define NEXT_LINE(l, a) { \
            l += more_l; \
            a += more_a; \
            if (a >= atoms) { \
                a -= atoms; \
                l++; \
            } \
        }
        for (uint window = 0; window < candidates; window += TILE_ATOMS) {
            const uint held = min((uint)TILE_ATOMS, candidates - window);
            const int fresh = base == begin || candidates > TILE_ATOMS;
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid == 0) shared[1] = 0; // the longest run of candidates, where that is more than a mask holds
            LOOK_UP_CANDIDATES(fresh ? (int)lid : cells)
            barrier(CLK_LOCAL_MEM_FENCE);
            // Loads first, so that they need not wait for one another.
            const uint i = base + min(lid, atoms - 1);
            const staged mine = position[i];
            const int number = home[i];
#define KEEP_NOTHING(k, j)
            BRING_CANDIDATES(fresh ? lid : held, KEEP_NOTHING)
            if (lid < atoms) {
                const int3 at = place_of(number, box->cells[0], box->cells[1]) - from;
                const int here = (at.z * size.y + at.y) * size.x + at.x;
                vstore4((float4)(convert_float3(displacement(mine, center, box)), (float)staged_type(mine)), lid, spot);
                self[lid] = begins[here] + i - source[here];
                vstore3(convert_ushort3(at), lid, cell);
                dummy[lid] = dummy_for(mine, dummies, box);
                taken[lid] = 0;
                chunks[lid] = window == 0 ? 0 : chunks[lid];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            NEEDLESS_BARRIER
            uint pass = 0, longest = 0; // a pass: some lines of all atoms, and 32 of their candidates
            for (uint line = 0; line < lines; line += at_a_time) {
                const uint most = min(at_a_time, lines - line);
                for (uint turn = 0; turn == 0 || turn < longest; turn += 32, pass++) {
                    for (uint l = first_l, a = first_a; l < most;) {
                        const int3 at = convert_int3(vload3(a, cell));
                        const uint up = (line + l) / across;
                        const int y = clamp(at.y - box->stencil[1], 0, size.y - (int)across) + (int)LEFT_BY(line + l, up, across);
                        const int z = clamp(at.z - box->stencil[2], 0, size.z - (int)(lines / across)) + (int)up;
                        const int run = (z * size.y + y) * size.x;
                        uint k = max(begins[run + max(at.x - box->stencil[0], 0)], window) - window, hits = 0;
                        const uint end_of_run = begins[run + min(at.x + box->stencil[0], size.x - 1) + 1];
                        const uint last = min(max(end_of_run, window) - window, held);
                        if (last > k + 32) atomic_max(&shared[1], last - k);
                        k += turn;
                        if (k < last) {
                            const uint tests = min(last - k, (uint)32);
                            const float4 me = vload4(a, spot);
#if REACHES > 1
                            __global const real *my_reach = reach + ((uint)me.w - 1) * TYPES;
                            KEEP_LIMITS
#endif
#ifdef DOUBLE
                            float nearest = slack; // how near to the limit any candidate's r^2 is
#endif
                            // The first candidate's bit is the highest. Some may be beyond the last.
                            uint t = 0;
                            for (; t < tests; t += AT_ONCE) {
SHORT_LOOP
                                for (uint s = 0; s < AT_ONCE; s++) {
                                    const tile_rest rest = tile_z[PLACE(k + t + s)];
                                    const float2 xy = tile_xy[PLACE(k + t + s)];
                                    const float3 d = me.xyz - (float3)(xy.x, xy.y, Z_OF_REST(rest));
                                    const float limit = FLOAT_LIMIT(rest);
                                    const float over = FMA(d.z, d.z, FMA(d.y, d.y, FMA(d.x, d.x, -limit)));
                                    hits = hits << 1 | as_uint(over) >> 31;
#ifdef DOUBLE
                                    nearest = fmin(nearest, fabs(over));
#endif
                                    PARK(parked, hits)
                                }
                            }
                            hits = hits << (32 - t) & 0xffffffffu << (32 - tests);
#ifdef DOUBLE
                            if (nearest < slack) {
                                // Some pair is not clearly inside or outside: all of them again, in double precision.
                                hits = 0;
                                for (uint s = 0; s < tests; s++) {
                                    const staged other = position[place[k + s]];
                                    const double rsq =
                                        square(displacement(position[base + a], center, box) - displacement(other, center, box));
                                    hits |= (uint)(rsq <= LIMIT(staged_type(other))) << (31 - s);
                                }
                            }
#endif
                            const uint itself = self[a] - window - k;
                            if (itself < tests) hits &= ~(0x80000000u >> itself);
#ifdef EXCLUDE
                            const uint i = base + a;
                            for (uint left = hits; left != 0; left &= ~(0x80000000u >> clz(left)))
                                if (!INCLUDED(place[k + clz(left)])) hits &= ~(0x80000000u >> clz(left));
#endif
                        }
                        LINE(4 * fours * a + l) = hits;
                        NEAR(4 * fours * a + l) = popcount(hits);
                        for (uint q = l + 1; q >= most && MODULO(q, 4) != 0; q++) NEAR(4 * fours * a + q) = 0; // behind the last
                        starts[4 * fours * a + l] = k;
                        NEXT_LINE(l, a)
                    }
                    barrier(CLK_LOCAL_MEM_FENCE);
                    longest = shared[1];
                    for (uint l = first_l, a = first_a; l < most;) {
                        uint rank = taken[MODULO(pass, 2) * BATCH + a];
                        // The lines before this one, whose counts are bytes that do not overflow in sums of four.
                        for (uint q = 0; q < l / 4; q++) rank += near_by_fours[fours * a + q] * 0x01010101 >> 24;
                        const uint before = (1u << 8 * MODULO(l, 4)) - 1;
                        rank += (near_by_fours[fours * a + l / 4] & before) * 0x01010101 >> 24;
                        const uint k = starts[4 * fours * a + l];
                        for (uint hits = LINE(4 * fours * a + l); hits != 0; rank++) {
                            const uint next = clz(hits);
                            hits &= ~(0x80000000u >> next);
                            if (rank < room) chosen[CHOSEN_BY(a) + rank] = k + next;
                        }
                        if (l + 1 == most) taken[MODULO(pass + 1, 2) * BATCH + a] = rank;
                        NEXT_LINE(l, a)
                    }
                    barrier(CLK_LOCAL_MEM_FENCE);
                }
            }
            // A window's entries fill whole chunks.
            for (uint item = lid; item < atoms * LANES; item += BLOCK_LOCAL) {
                const uint a = item / LANES, lane = MODULO(item, LANES);
                const uint total = taken[MODULO(pass, 2) * BATCH + a], before = chunks[a];
                const uint after = before + (total + ENTRIES - 1) / ENTRIES;
                __global uint *to = list + list_begin((base + a - first) * LANES + lane, rows);
                uint count = 0;
                for (uint c = before + MODULO(lane - before, LANES); c < after; c += LANES) {
                    const uint rank = (c - before) * ENTRIES;
                    count += min(total - rank, (uint)ENTRIES);
                    if (c / LANES >= rows) continue;
                    uint word[ENTRIES];
                    if (rank + ENTRIES <= total) {
SHORT_LOOP
                        for (uint e = 0; e < ENTRIES; e++) word[e] = place[chosen[CHOSEN_BY(a) + rank + e]];
                    } else {
SHORT_LOOP
                        for (uint e = 0; e < ENTRIES; e++) {
                            word[e] = place[chosen[CHOSEN_BY(a) + min(rank + e, total - 1)]];
                            CHOOSE(rank + e >= total, word[e], dummy[a])
                        }
                    }
                    STORE_LIST(word, to + (size_t)(c / LANES) * (LIST_WIDTH * WORDS))
                }
                neighbors[((window / TILE_ATOMS) * stride + base + a) * LANES + lane] = count;
                if (after > rows * LANES && lane == 0) {
                    atomic_max(&status[STATUS_LONGEST], after * ENTRIES);
                    halt(status, step);
                }
            }
            if (candidates > TILE_ATOMS) {
                barrier(CLK_LOCAL_MEM_FENCE);
                if (lid < atoms) chunks[lid] += (taken[MODULO(pass, 2) * BATCH + lid] + ENTRIES - 1) / ENTRIES;
            }
        }
        for (uint part = (candidates + TILE_ATOMS - 1) / TILE_ATOMS; part < tile_parts; part++)
            for (uint item = lid; item < atoms * LANES; item += BLOCK_LOCAL) neighbors[(part * stride + base) * LANES + item] = 0;
    }
}
