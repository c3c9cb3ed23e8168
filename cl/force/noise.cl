// The noise between two atoms at a step: normal, of variance 1, the same seen from either, drawn by counting from the
// seed, both IDs and the step (cl/common/random.cl says how). VW pairs at once. Twin: `noise_of_pair` of src/base/random.rs.

// A normal number from two words, by G. E. P. Box and M. E. Muller, Ann. Math. Stat. 29, 610 (1958).
static inline realv normal(uintv a, uintv b) {
    const real word = NUMBER(2.3283064365386963e-10); // 2^-32
    const realv distance = sqrt(-2 * log((convert_realv(a) + NUMBER(0.5)) * word));
    return distance * cos(convert_realv(b) * (word * NUMBER(6.283185307179586)));
}

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
