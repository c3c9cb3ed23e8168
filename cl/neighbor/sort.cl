// Least-significant-digit radix sort of 32-bit keys with a 32-bit payload, stable.
// One pass per digit: sort_count, scan, sort_scatter. A work-group owns SORT_LOCAL * SORT_ITEMS
// consecutive keys, a work-item SORT_ITEMS consecutive ones, so that ranks follow the input order.
//   SORT_LOCAL  work-items per group (1 on CPUs)
//   SORT_ITEMS  keys per work-item
//   SORT_BITS   bits per digit
#define RADIX (1 << SORT_BITS)
// One word more than the work-items, so that a column of digits does not fall into one bank.
#define TALLY_ROW (SORT_LOCAL + 1)

static inline uint digit_of(uint key, uint shift) {
    return (key >> shift) & (RADIX - 1);
}

// counts[digit * groups + group] = keys of that digit in that group.
__kernel __attribute__((reqd_work_group_size(SORT_LOCAL, 1, 1)))
void sort_count(__global const uint *restrict keys, __global uint *restrict counts, uint n, uint shift) {
    __local uint tally[RADIX * TALLY_ROW];
    const uint lid = get_local_id(0);
    const uint first = ((uint)get_group_id(0) * SORT_LOCAL + lid) * SORT_ITEMS;
    const uint last = min(first + SORT_ITEMS, n);
    for (uint d = 0; d < RADIX; d++) tally[d * TALLY_ROW + lid] = 0;
    for (uint k = first; k < last; k++) tally[digit_of(keys[k], shift) * TALLY_ROW + lid]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = lid; d < RADIX; d += SORT_LOCAL) {
        uint sum = 0;
        for (uint t = 0; t < SORT_LOCAL; t++) sum += tally[d * TALLY_ROW + t];
        counts[d * (uint)get_num_groups(0) + (uint)get_group_id(0)] = sum;
    }
}

// Exclusive prefix sum in place by one work-group; *total receives the sum of all.
//   SCAN_LOCAL  work-items (a power of two, 1 on CPUs), SCAN_ITEMS values each per round
__kernel __attribute__((reqd_work_group_size(SCAN_LOCAL, 1, 1)))
void scan(__global uint *restrict values, uint n, __global uint *restrict total) {
    __local uint sums[2][SCAN_LOCAL];
    const uint lid = get_local_id(0);
    uint carry = 0;
    for (uint base = 0; base < n; base += SCAN_LOCAL * SCAN_ITEMS) {
        const uint first = base + lid * SCAN_ITEMS;
        uint mine[SCAN_ITEMS];
        uint sum = 0;
        for (uint k = 0; k < SCAN_ITEMS; k++) {
            mine[k] = sum;
            sum += first + k < n ? values[first + k] : 0;
        }
        uint from = 0;
        sums[0][lid] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint reach = 1; reach < SCAN_LOCAL; reach <<= 1) {
            sums[1 - from][lid] = sums[from][lid] + (lid >= reach ? sums[from][lid - reach] : 0);
            from = 1 - from;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        const uint before = carry + sums[from][lid] - sum;
        for (uint k = 0; k < SCAN_ITEMS; k++)
            if (first + k < n) values[first + k] = before + mine[k];
        carry += sums[from][SCAN_LOCAL - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) *total = carry;
}

// Moves keys and payloads to their places of this digit. `offsets` is the scanned `counts`.
// With FIRST_PASS the payload is the index itself, so no array of indices is ever filled.
__kernel __attribute__((reqd_work_group_size(SORT_LOCAL, 1, 1)))
void sort_scatter(__global const uint *restrict keys, __global const uint *restrict payload,
                  __global uint *restrict keys_out, __global uint *restrict payload_out,
                  __global const uint *restrict offsets, uint n, uint shift, int first_pass) {
    __local uint tally[RADIX * TALLY_ROW];
    const uint lid = get_local_id(0);
    const uint group = get_group_id(0);
    const uint groups = get_num_groups(0);
    const uint first = (group * SORT_LOCAL + lid) * SORT_ITEMS;
    const uint last = min(first + SORT_ITEMS, n);
    for (uint d = 0; d < RADIX; d++) tally[d * TALLY_ROW + lid] = 0;
    for (uint k = first; k < last; k++) tally[digit_of(keys[k], shift) * TALLY_ROW + lid]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    // Per digit: where this group's keys begin, then on from work-item to work-item.
    for (uint d = lid; d < RADIX; d += SORT_LOCAL) {
        uint place = offsets[d * groups + group];
        for (uint t = 0; t < SORT_LOCAL; t++) {
            const uint count = tally[d * TALLY_ROW + t];
            tally[d * TALLY_ROW + t] = place;
            place += count;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = first; k < last; k++) {
        const uint key = keys[k];
        const uint place = tally[digit_of(key, shift) * TALLY_ROW + lid]++;
        keys_out[place] = key;
        payload_out[place] = first_pass ? k : payload[k];
    }
}
