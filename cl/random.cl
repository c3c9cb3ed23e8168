// Random numbers by counting: Philox4x32-10. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC11. A pure function of counter and key, so that a number depends on nothing but
// what it is drawn for. Twin: src/random.rs.
static inline uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; round++) {
        const uint hi0 = mul_hi(0xD2511F53u, counter.x), lo0 = 0xD2511F53u * counter.x;
        const uint hi1 = mul_hi(0xCD9E8D57u, counter.z), lo1 = 0xCD9E8D57u * counter.z;
        counter = (uint4)(hi1 ^ counter.y ^ key.x, lo1, hi0 ^ counter.w ^ key.y, lo0);
        key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    return counter;
}

// Three numbers, uniform between -1/2 and 1/2, for an atom and a step; `key` is what they are for.
static inline accum3 uniform_of_atom(uint tag, long step, uint2 key) {
    const int4 bits = as_int4(philox((uint4)(tag, (uint)step, (uint)(step >> 32), 0), key));
    return (accum3)((accum)bits.x, (accum)bits.y, (accum)bits.z) * (accum)2.3283064365386963e-10f;
}

// Four numbers, uniform between 0 and 1 and never 0, for an atom and a step; `which` tells several draws apart.
static inline accum4 four_of_atom(uint tag, long step, uint which, uint2 key) {
    const uint4 bits = philox((uint4)(tag, (uint)step, (uint)(step >> 32), which), key);
    return (accum4)((accum)bits.x, (accum)bits.y, (accum)bits.z, (accum)bits.w) * (accum)2.3283064365386963e-10f +
           (accum)1.1641532182693481e-10f;
}

// Three numbers for an atom and a step, normal with variance 1. G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29, 610
// (1958).
static inline accum3 normal_of_atom(uint tag, long step, uint2 key) {
    const accum4 u = four_of_atom(tag, step, 0, key);
    const accum2 distance = sqrt((accum)-2 * log(u.xz)), turns = 2 * u.yw;
    return (accum3)(distance.x * cospi(turns.x), distance.x * sinpi(turns.x), distance.y * cospi(turns.y));
}
