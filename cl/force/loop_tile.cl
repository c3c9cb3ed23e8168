// The neighbour loop over lists in tiles: on GPUs, for larger systems (src/engine/kernels/launch_config.rs).
//
// The tile: a work-group takes the atoms of a block of cells. What their lists name comes into local memory
// once, relative to the middle of the block; an entry is a 16-bit offset there. What does not fit is
// taken in turn, and so are the atoms of a block that has more of them than the group work-items.
__kernel __attribute__((reqd_work_group_size(BLOCK_LOCAL, 1, 1))) EXCHANGE_GROUP
void PAIR_KERNEL(PAIR_ARGUMENTS, OUTPUT_ARGUMENTS MOLECULE_ARGUMENTS) {
#define PLACE(k) BANKED(k, TILE_ATOMS + 1)
    __local real4 tile_atoms[BANKED_ROOM(TILE_ATOMS + 1)];
    INPUT_TILE
    ROWS_SPACE(BLOCK_LOCAL)
    PARKED_SUMS(BLOCK_LOCAL)
    //= insert lane_space
    const uint lid = get_local_id(0);
#ifdef MOLECULES
    // A bond that breaks halts this very step, and work-items must not leave others waiting at a barrier.
    __local int stopped;
    if (lid == 0) stopped = halted(status, step);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (stopped) return;
#else
    if (halted(status, step)) return;
#endif
    const uint4 block = vload4(get_group_id(0), blocks);
    const uint begin = max(block.x, first), end = min(block.y, first + n);
    if (begin >= end) return; // for the whole group
    const staged center = centers[get_group_id(0)];
    if (lid == 0) {
        tile_atoms[PLACE(TILE_ATOMS)] = (real4)((real)1e10, (real)1e10, (real)1e10, 1); // out of all reach
        INPUT_DUMMY
    }
    const uint items = (end - begin) * LANES;
    const uint lane = MODULO(lid, LANES);
    for (uint base = 0; base < items; base += BLOCK_LOCAL) {
        const int active = base + lid < items;
        const uint i = begin + (active ? (base + lid) / LANES : 0);
        const staged me = position[i];
        const real3 here = displacement(me, center, box);
        const uint my_type = staged_type(me);
        OWN_INPUTS(i)
        __global const uint *entries = list + list_begin((i - first) * LANES + lane, rows);
        Sums sums = {0};
        for (uint window = 0; window < block.w; window += TILE_ATOMS) {
            if (base == 0 || block.w > TILE_ATOMS) {
                barrier(CLK_LOCAL_MEM_FENCE);
                const uint held = min((uint)TILE_ATOMS, block.w - window);
                // Four at a time, so that their loads need not wait for one another.
                for (uint first_k = lid; first_k < held; first_k += 4 * BLOCK_LOCAL) {
                    staged others[4];
                    INPUT_OTHERS(4)
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        const uint from = tiles[block.z + window + min(first_k + t * BLOCK_LOCAL, held - 1)];
                        others[t] = position[from];
                        INPUT_LOAD(t, from)
                    }
SHORT_LOOP
                    for (uint t = 0; t < 4; t++) {
                        const uint k = min(first_k + t * BLOCK_LOCAL, held - 1);
                        tile_atoms[PLACE(k)] = (real4)(displacement(others[t], center, box), (real)staged_type(others[t]));
                        INPUT_STORE(t, k)
                    }
                }
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            NEEDLESS_BARRIER
            const uint count = active ? neighbors[((window / TILE_ATOMS) * stride + i) * LANES + lane] : 0;
            uint4 next = count > 0 ? LOAD4(entries) : (uint4)(0);
            for (uint k = 0; k < count; k += 8) {
                const uint4 packed = next;
                entries += LIST_WIDTH * WORDS;
                if (k + 8 < count) next = LOAD4(entries);
                const uint4 low = packed & 0xffff, high = packed >> 16;
#define TILE_X(k) (*(__local const real4 *)((__local const char *)tile_atoms + k)).x
#define TILE_Y(k) (*(__local const real4 *)((__local const char *)tile_atoms + k)).y
#define TILE_Z(k) (*(__local const real4 *)((__local const char *)tile_atoms + k)).z
#define TILE_W(k) (uint)(*(__local const real4 *)((__local const char *)tile_atoms + k)).w
#define ADD_TILE(...) { \
                    const uintv j = (uintv)(__VA_ARGS__); \
                    const uintv their_types = (uintv)(GATHER(TILE_W)); \
                    add_pairs(&sums, here.x - (realv)(GATHER(TILE_X)), here.y - (realv)(GATHER(TILE_Y)), \
                              here.z - (realv)(GATHER(TILE_Z)), numbers_of_pairs(my_type, their_types, table), my_type, \
                              their_types, table INPUT_OF_TILE); \
                    PARK_SUMS \
                }
                ADD_EIGHT(ADD_TILE, low, high)
            }
            NEEDLESS_BARRIER
        }
        //= insert lane_totals
        if (active && lane == 0) {
            //= insert other_forces
            //= insert output
        }
    }
}
