// How work-items that lie side by side exchange values in registers: from_lane(x, distance) is the float or double x of the
// one whose place is that of this one with the bits of `distance` flipped. LANES of them, a power of two and no more
// than 32, exchange with one another; all work-items of a group come there.
//   EXCHANGE_PTX         NVIDIA's warps
//   EXCHANGE_SUBGROUPS   sub-groups
// With neither there is no from_lane, and local memory with barriers does it. EXCHANGE_GROUP stands before such a kernel's name.

#if defined(EXCHANGE_PTX)

static inline uint word_from_lane(uint x, uint distance) {
    uint y;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(y) : "r"(x), "r"(distance));
    return y;
}
static inline real from_lane(real x, uint distance) {
#ifdef DOUBLE
    const uint2 words = as_uint2(x);
    return as_double((uint2)(word_from_lane(words.x, distance), word_from_lane(words.y, distance)));
#else
    return as_float(word_from_lane(as_uint(x), distance));
#endif
}
#define EXCHANGE_GROUP

#elif defined(EXCHANGE_SUBGROUPS)

#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define from_lane(x, distance) sub_group_shuffle_xor(x, distance)
#if defined(cl_intel_required_subgroup_size) && LANES > 1
#define EXCHANGE_GROUP __attribute__((intel_reqd_sub_group_size(LANES > 16 ? LANES : 16)))
#else
#define EXCHANGE_GROUP
#endif

#else
#define EXCHANGE_GROUP
#endif
