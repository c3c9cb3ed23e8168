// How the work-items of an atom add up (after exchange.cl). LANES is a power of two and no more than 32; the lanes of an atom
// are neighbours in one work-group, whose work-items all come here. In registers and in local memory they add in the same
// order, so that they give the same bits.

//   LANE_SUMS(name, width)                local memory for that, for `width` numbers of each work-item, where they add by way of it
//   ADD_LANES(width, name, value, lane)   adds up `value`, of 1, 3 or 8 numbers; the first lane has the sum

#if defined(EXCHANGE_PTX) || defined(EXCHANGE_SUBGROUPS)

#define LANE_SUMS(name, width)
#define ADD_LANES(width, name, value, lane) \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) value += FROM_LANE_##width(value, reach_);
#define FROM_LANE_1(value, reach) from_lane(value, reach)
#define FROM_LANE_3(value, reach) (real3)(from_lane(value.x, reach), from_lane(value.y, reach), from_lane(value.z, reach))
#define FROM_LANE_8(value, reach) \
    (real8)(from_lane(value.s0, reach), from_lane(value.s1, reach), from_lane(value.s2, reach), from_lane(value.s3, reach), \
            from_lane(value.s4, reach), from_lane(value.s5, reach), from_lane(value.s6, reach), from_lane(value.s7, reach))

#elif LANES == 1

#define LANE_SUMS(name, width)
#define ADD_LANES(width, name, value, lane)

#else

#define LANE_SUMS(name, width) __local real name[width * (TILE ? BLOCK_LOCAL : PAIR_LOCAL)];
#define ADD_LANES(width, name, value, lane) \
    barrier(CLK_LOCAL_MEM_FENCE); \
    STORE_##width(value, get_local_id(0), name); \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) { \
        barrier(CLK_LOCAL_MEM_FENCE); \
        if (lane < reach_) \
            STORE_##width(LOAD_##width(get_local_id(0), name) + LOAD_##width(get_local_id(0) + reach_, name), get_local_id(0), name); \
    } \
    value = LOAD_##width(get_local_id(0), name);
#define LOAD_1(k, p) (p)[k]
#define STORE_1(a, k, p) (p)[k] = (a)
#define LOAD_3 vload3
#define STORE_3 vstore3
#define LOAD_8 vload8
#define STORE_8 vstore8

#endif
