// How the work-items of an atom add up. LANES is a power of two and no more than 32; the lanes of an atom
// are neighbours in one work-group, whose work-items all come here.
//
// With LANE_PTX, NVIDIA's warps do it in registers; else local memory and barriers. Both add in the same
// order, so they give the same bits.

#ifdef LANE_PTX

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

#if LANES == 1
#define LANE_SUMS(name, width)
#define ADD_LANES_3(name, value, lane)
#define ADD_LANES_8(name, value, lane)
#else
#define LANE_SUMS(name, width) __local real name[width * (TILE ? BLOCK_LOCAL : PAIR_LOCAL)];
#define ADD_LANES(name, value, lane, load, store) \
    barrier(CLK_LOCAL_MEM_FENCE); \
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

#endif
