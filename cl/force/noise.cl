// The noise between two atoms at a step: normal, of variance 1, the same seen from either, drawn by counting from the
// seed, both IDs and the step (cl/common/random.cl says how). VW pairs at once. Twin: `noise_of_pair` of src/base/random.rs.

// A normal number from two words, by G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29, 610 (1958).
#ifdef DOUBLE
static inline realv normal(uintv a, uintv b) {
    const real word = NUMBER(2.3283064365386963e-10); // 2^-32
    const realv distance = sqrt(-2 * log((convert_realv(a) + NUMBER(0.5)) * word));
    return distance * cos(convert_realv(b) * (word * NUMBER(6.283185307179586)));
}
#else
// In fp32 both functions are polynomials of the words, to some 1e-7: libraries look after arguments that do not come here. The logarithm is
// of 2^e (1 + t) with 1 + t between 2^(-1/2) and 2^(1/2); the cosine is the sine of what a quarter turn leaves.
static inline realv normal(uintv a, uintv b) {
    const uint root = 0x3f3504f3u; // 2^(-1/2)
    const uintv k = convert_uintv(as_intv(convert_realv(a) + 0.5f)) + (0x3f800000u - root);
    const realv e = convert_realv(k >> 23) - (127 + 32), t = as_realv((k & 0x007fffffu) + root) - 1;
    realv p = FMA((realv)(-0.0790274591f), t, (realv)(0.126223209f));
    p = FMA(FMA(FMA(p, t, (realv)(-0.129981835f)), t, (realv)(0.142144958f)), t, (realv)(-0.166412815f));
    p = FMA(FMA(FMA(p, t, (realv)(0.200010451f)), t, (realv)(-0.250003064f)), t, (realv)(0.333333307f));
    const realv square = t * t, log_of_u = FMA(e, (realv)(0.693147181f), FMA(square * t, p, FMA(square, (realv)(-0.5f), t)));

    const uintv away = min(b, (uintv)(0) - b); // from whole turns
    const realv x = FMA(convert_realv(away), (realv)(-9.31322575e-10f), (realv)(1)); // quarters, between -1 and 1
    const realv z = x * x;
    realv q = FMA((realv)(0.000151671704f), z, (realv)(-0.00467414384f));
    q = FMA(FMA(FMA(q, z, (realv)(0.0796899183f)), z, (realv)(-0.64596376f)), z, (realv)(1.57079632f));
    return sqrt(-2 * log_of_u) * (x * q);
}
#endif

static inline realv noise_of_pairs(uintv mine, uintv theirs, long step, uint seed) {
    uintv c0 = min(mine, theirs), c1 = max(mine, theirs);
    uintv c2 = (uintv)((uint)step), c3 = (uintv)((uint)(step >> 32));
    uint key0 = seed, key1 = 2; // 2: what the numbers are for, beside the seed
    for (int round = 0; round < 10; round++) {
        const ulongv first = 0xD2511F53ul * convert_ulongv(c0), second = 0xCD9E8D57ul * convert_ulongv(c2);
        c0 = convert_uintv(second >> 32) ^ c1 ^ key0;
        c1 = convert_uintv(second);
        c2 = convert_uintv(first >> 32) ^ c3 ^ key1;
        c3 = convert_uintv(first);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return normal(c0, c1);
}
