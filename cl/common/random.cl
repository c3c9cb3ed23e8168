// Random numbers by counting: Philox4x32-10. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC11. A pure function of counter and key, so that a number depends on nothing but
// what it is drawn for. Twin: src/base/random.rs.
// Whole products, and no mul_hi(), which PoCL puts together from halves of 16 bits.
static inline uint4 philox(uint4 counter, uint2 key) {
    uint c0 = counter.x, c1 = counter.y, c2 = counter.z, c3 = counter.w;
    for (int round = 0; round < 10; round++) {
        const ulong first = (ulong)0xD2511F53u * c0, second = (ulong)0xCD9E8D57u * c2;
        c0 = (uint)(second >> 32) ^ c1 ^ key.x;
        c1 = (uint)second;
        c2 = (uint)(first >> 32) ^ c3 ^ key.y;
        c3 = (uint)first;
        key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
    }
    return (uint4)(c0, c1, c2, c3);
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
