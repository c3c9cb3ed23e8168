// How the work-items of an atom add up (after exchange.cl). LANES is a power of two and no more than 32; the lanes of an atom
// are neighbours in one work-group, whose work-items all come here. In registers and in local memory they add in the same
// order, so that they give the same bits.

#if defined(EXCHANGE_PTX) || defined(EXCHANGE_SUBGROUPS)

#define LANE_SUMS(name, width)
#define ADD_LANES_1(name, value, lane) \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) value += from_lane(value, reach_);
#define ADD_LANES_3(name, value, lane) \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) \
        value += (real3)(from_lane(value.x, reach_), from_lane(value.y, reach_), from_lane(value.z, reach_));
#define ADD_LANES_8(name, value, lane) \
    for (uint reach_ = LANES / 2; reach_ > 0; reach_ >>= 1) \
        value += (real8)(from_lane(value.s0, reach_), from_lane(value.s1, reach_), from_lane(value.s2, reach_), \
                         from_lane(value.s3, reach_), from_lane(value.s4, reach_), from_lane(value.s5, reach_), \
                         from_lane(value.s6, reach_), from_lane(value.s7, reach_));

#elif LANES == 1

#define LANE_SUMS(name, width)
#define ADD_LANES_1(name, value, lane)
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
#define LOAD_1(k, p) (p)[k]
#define STORE_1(a, k, p) (p)[k] = (a)
#define ADD_LANES_1(name, value, lane) ADD_LANES(name, value, lane, LOAD_1, STORE_1)
#define ADD_LANES_3(name, value, lane) ADD_LANES(name, value, lane, vload3, vstore3)
#define ADD_LANES_8(name, value, lane) ADD_LANES(name, value, lane, vload8, vstore8)

#endif
