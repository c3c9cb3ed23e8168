// What the work-items of an atom do together: adding up, voting. LANES and BUILD_LANES are powers of two and no
// more than 32, and the lanes of an atom are neighbours in one work-group, whose work-items all come here.
//
// With LANE_PTX, NVIDIA's warps do it in registers; else local memory and barriers. Both add in the same
// order, so they give the same bits.

#ifdef LANE_PTX

#define LANE_VOTES(name, local_size)
#define LANES_ANY(name, mine) warp_any(mine)
#define LANES_BEFORE(name, mine, lane, found) warp_before(mine, lane, found)
static inline int warp_any(int mine) {
    int any;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.any.pred q, p, 0xffffffff; selp.s32 %0, 1, 0, q; }"
                 : "=r"(any) : "r"(mine));
    return any;
}
// How many lower lanes of the BUILD_LANES say yes; *found is how many of all.
static inline uint warp_before(int mine, uint lane, uint *found) {
    uint ballot, thread;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                 : "=r"(ballot) : "r"(mine));
    asm("mov.u32 %0, %%laneid;" : "=r"(thread));
    const uint ours = ballot >> (thread & ~(BUILD_LANES - 1u)) & (BUILD_LANES == 32 ? ~0u : (1u << (BUILD_LANES & 31)) - 1);
    *found = popcount(ours);
    return popcount(ours & ((1u << lane) - 1));
}
static inline float lane_from_f32(float x, uint distance) {
    float y;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(y) : "f"(x), "r"(distance));
    return y;
}
#ifndef SINGLE
static inline double lane_from_f64(double x, uint distance) {
    const uint2 word = as_uint2(x);
    uint2 other;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other.x) : "r"(word.x), "r"(distance));
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(other.y) : "r"(word.y), "r"(distance));
    return as_double(other);
}
#endif
#ifdef DOUBLE
#define lane_from lane_from_f64
#else
#define lane_from lane_from_f32
#endif
#define LANE_SUMS(name, width)
#define ADD_LANES_3(name, value, lane) \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) \
        value += (real3)(lane_from(value.x, reach_), lane_from(value.y, reach_), lane_from(value.z, reach_));
#define ADD_LANES_8(name, value, lane) \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) \
        value += (real8)(lane_from(value.s0, reach_), lane_from(value.s1, reach_), lane_from(value.s2, reach_), \
                         lane_from(value.s3, reach_), lane_from(value.s4, reach_), lane_from(value.s5, reach_), \
                         lane_from(value.s6, reach_), lane_from(value.s7, reach_));

#else

#define LANE_VOTES(name, local_size) __local uint name[local_size + 1];
#define LANES_ANY(name, mine) group_any(name, mine)
#define LANES_BEFORE(name, mine, lane, found) group_before(name, mine, lane, found)
// Over the whole work-group.
static inline int group_any(__local uint *votes, int mine) {
    const uint size = get_local_size(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) votes[size] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine) atomic_or(&votes[size], 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    return votes[size];
}
static inline uint group_before(__local uint *votes, int mine, uint lane, uint *found) {
    const uint lid = get_local_id(0);
    votes[lid] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0, all = 0;
    for (uint k = 0; k < BUILD_LANES; k++) {
        const uint vote = votes[lid - lane + k];
        before += k < lane ? vote : 0;
        all += vote;
    }
    *found = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    return before;
}
#define LANE_SUMS(name, width) __local real name[width * PAIR_LOCAL];
#define ADD_LANES(name, value, lane, load, store) \
    store(value, get_local_id(0), name); \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) { \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (lane < reach_) \
            store(load(get_local_id(0), name) + load(get_local_id(0) + reach_, name), get_local_id(0), name); \
    } \
    value = load(get_local_id(0), name);
#define ADD_LANES_3(name, value, lane) ADD_LANES(name, value, lane, vload3, vstore3)
#define ADD_LANES_8(name, value, lane) ADD_LANES(name, value, lane, vload8, vstore8)

#endif
