// Values per atom by the programs of src/script/atom_expr.rs, which has the twins, and what is made of them: column k has one number per
// atom from k n on.
//   REDUCE_LOCAL  as in cl/analysis/reduce.cl

// A word is one of these, and from bit 8 on what it is about.
#define OP_STORE 0  // the end of a column
#define OP_SET 1    // puts aside
#define OP_GET 2    // what was put aside
#define OP_NUMBER 3 // a number of the program
#define OP_MEMBER 4 // whether the atom is in a group
// Its properties, maybe a component.
#define OP_X 5
#define OP_V 6
#define OP_F 7
#define OP_IMAGE 8
#define OP_ID 9
#define OP_TYPE 10
#define OP_MASS 11
#define OP_TALLY 12
#define OP_TABLE 13 // the number at a place of a table, before which stands how long it is
// Operations on so many numbers.
#define OP_OR 14
#define OP_XOR 15
#define OP_AND 16
#define OP_EQUAL 17
#define OP_UNEQUAL 18
#define OP_LESS 19
#define OP_LESS_EQUAL 20
#define OP_GREATER 21
#define OP_GREATER_EQUAL 22
#define OP_PLUS 23
#define OP_MINUS 24
#define OP_TIMES 25
#define OP_DIVIDE 26
#define OP_MODULO 27
#define OP_POWER 28
#define OP_NEGATE 29
#define OP_NOT 30
#define OP_SQRT 31
#define OP_EXP 32
#define OP_LN 33
#define OP_LOG 34
#define OP_ABS 35
#define OP_SIGN 36
#define OP_SIN 37
#define OP_COS 38
#define OP_TAN 39
#define OP_ASIN 40
#define OP_ACOS 41
#define OP_ATAN 42
#define OP_ATAN2 43
#define OP_CEIL 44
#define OP_FLOOR 45
#define OP_ROUND 46
#define OP_TERNARY 47
#define OP_TRUNCATE 48
#define OP_SQUARE 49
#define OP_LEAST 50
#define OP_GREATEST 51

// Numbers that may wait for an operation, and be put aside.
#define DEPTH 16
#define ASIDE 8

// A work-item takes BATCH atoms: one on GPUs; as many on CPUs as make up for reading the program.
#define EACH(value) \
    for (uint l = 0; l < BATCH; l++) { \
        const accum a = first[l], b = first[l + BATCH], c = first[l + 2 * BATCH]; \
        first[l] = (value); \
    } \
    break;
#define EACH_ATOM(value) \
    for (uint l = 0; l < BATCH; l++) { \
        const size_t i = min(begin + l, (size_t)n - 1); \
        first[l] = (value); \
    } \
    break;

// A value is no number where one on the way to it was not finite: the host, which then does it all, says what is wrong.
__kernel void work_out(__global const master *restrict x, __global const accum *restrict v, __global const uint *restrict type,
                       __global const uint *restrict mask, __global const uint *restrict tag,
                       __global const long *restrict image, __global const real *restrict force,
                       __global const real *restrict tally, __global const accum *restrict mass,
                       __global const uint *restrict words, __global const accum *restrict numbers,
                       __global accum *restrict values, uint count, uint n) {
    const size_t begin = BATCH * get_global_id(0);
    if (begin >= n) return;
    accum stack[(DEPTH + 2) * BATCH] = {0}, aside[ASIDE * BATCH] = {0}, fault[BATCH] = {0};
    accum *top = stack; // where the next number goes
    for (uint k = 0; k < count; k++) {
        const uint code = words[k] & 255, operand = words[k] >> 8;
        accum *first = top;
        if (code == OP_SET) {
            top -= BATCH;
            for (uint l = 0; l < BATCH; l++) aside[operand * BATCH + l] = top[l];
            continue;
        }
        if (code == OP_STORE) {
            top = stack;
            for (uint l = 0; l < BATCH; l++) {
                if (begin + l < n) values[(size_t)operand * n + begin + l] = top[l] + fault[l];
                fault[l] = 0;
            }
            continue;
        }
        if (code == OP_TABLE) first -= BATCH;
        if (code >= OP_OR) first -= operand * BATCH;
        switch (code) {
        case OP_NUMBER: EACH(numbers[operand])
        case OP_X: EACH_ATOM(x[3 * i + operand])
        case OP_V: EACH_ATOM(v[3 * i + operand])
        case OP_F: EACH_ATOM(force[3 * i + operand])
        case OP_IMAGE: EACH_ATOM(image_of(image[i], operand))
        case OP_ID: EACH_ATOM(tag[i])
        case OP_TYPE: EACH_ATOM(type[i])
        case OP_MASS: EACH_ATOM(mass[type[i] - 1])
        case OP_TALLY: EACH_ATOM(tally[8 * i + operand])
        case OP_MEMBER: EACH_ATOM((mask[i] & (uint)numbers[operand]) != 0)
        case OP_GET: EACH(aside[operand * BATCH + l])
        case OP_TABLE: EACH(numbers[operand + 1 + (uint)fmin(fmax(a, 0), numbers[operand] - 1)])
        case OP_OR: EACH(a != 0 || b != 0)
        case OP_XOR: EACH((a != 0) != (b != 0))
        case OP_AND: EACH(a != 0 && b != 0)
        case OP_EQUAL: EACH(a == b)
        case OP_UNEQUAL: EACH(a != b)
        case OP_LESS: EACH(a < b)
        case OP_LESS_EQUAL: EACH(a <= b)
        case OP_GREATER: EACH(a > b)
        case OP_GREATER_EQUAL: EACH(a >= b)
        case OP_PLUS: EACH(a + b)
        case OP_MINUS: EACH(a - b)
        case OP_TIMES: EACH(a * b)
        case OP_DIVIDE: EACH(a / b)
        case OP_MODULO: EACH(fmod(a, b))
        case OP_POWER: EACH(pow(a, b))
        case OP_NEGATE: EACH(-a)
        case OP_NOT: EACH(a == 0)
        case OP_SQRT: EACH(sqrt(a))
        case OP_EXP: EACH(exp(a))
        case OP_LN: EACH(log(a))
        case OP_LOG: EACH(log10(a))
        case OP_ABS: EACH(fabs(a))
        case OP_SIGN: EACH(a >= 0 ? 1 : -1)
        case OP_SIN: EACH(sin(a))
        case OP_COS: EACH(cos(a))
        case OP_TAN: EACH(tan(a))
        case OP_ASIN: EACH(asin(a))
        case OP_ACOS: EACH(acos(a))
        case OP_ATAN: EACH(atan(a))
        case OP_ATAN2: EACH(atan2(a, b))
        case OP_CEIL: EACH(ceil(a))
        case OP_FLOOR: EACH(floor(a))
        case OP_ROUND: EACH(a - floor(a) >= (accum)0.5 ? ceil(a) : floor(a))
        case OP_TERNARY: EACH(a != 0 ? b : c)
        case OP_TRUNCATE: EACH(trunc(a))
        case OP_SQUARE: EACH(a * a)
        case OP_LEAST: EACH(fmin(a, b))
        case OP_GREATEST: EACH(fmax(a, b))
        }
        for (uint l = 0; l < BATCH; l++) fault[l] += 0 * first[l];
        top = first + BATCH;
    }
}

// Three columns to where a fix looks for them, by the IDs of the atoms.
__kernel void remember_columns(__global const accum *restrict values, __global const uint *restrict tag,
                               __global accum *restrict memory, ulong first, uint n) {
    const size_t i = get_global_id(0);
    if (i >= n) return;
    for (uint d = 0; d < 3; d++) memory[first + 3 * (size_t)(tag[i] - 1) + d] = values[d * (size_t)n + i];
}

// Adds all columns of the atoms of a group to rows by ID.
__kernel void add_columns_by_id(__global const accum *restrict values, __global const uint *restrict mask,
                                __global const uint *restrict tag, __global accum *restrict rows, uint group, uint columns,
                                uint n) {
    const size_t i = get_global_id(0);
    if (i >= n || !(mask[i] & group)) return;
    for (uint k = 0; k < columns; k++) rows[columns * (size_t)(tag[i] - 1) + k] += values[k * (size_t)n + i];
}

// Three columns as velocities.
__kernel void move_by_columns(__global const accum *restrict values, __global accum *restrict v, uint n) {
    const size_t i = get_global_id(0);
    if (i >= n) return;
    for (uint d = 0; d < 3; d++) v[3 * i + d] = values[d * (size_t)n + i];
}

// Of each column over the atoms of a group (where `select` is not 0, of those only for which its column before is not 0): sum, sum of
// squares, of absolute values, number of atoms; least, greatest, and of the absolute values.
static inline accum8 joined(accum8 a, accum8 b) {
    return (accum8)(a.s0123 + b.s0123, fmin(a.s4, b.s4), fmax(a.s5, b.s5), fmin(a.s6, b.s6), fmax(a.s7, b.s7));
}

__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void summarize_columns(__global const accum *restrict values, __global const uint *restrict mask,
                       __global accum *restrict partial, uint group, uint select, uint columns, uint n) {
    __local accum shared[8 * REDUCE_LOCAL];
    const uint lid = get_local_id(0);
    uint first, last;
    part_of_group(n, &first, &last);
    for (uint column = 0; column < columns; column++) {
        accum8 sum = (accum8)(0, 0, 0, 0, INFINITY, -INFINITY, INFINITY, -INFINITY);
        for (uint i = first + lid; i < last; i += REDUCE_LOCAL) {
            if (!(mask[i] & group) || select && values[(size_t)(select - 1) * n + i] == 0) continue;
            const accum a = values[(size_t)column * n + i];
            sum = joined(sum, (accum8)(a, a * a, fabs(a), 1, a, a, fabs(a), fabs(a)));
        }
        vstore8(sum, lid, shared);
        for (uint step = REDUCE_LOCAL / 2; step > 0; step >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (lid < step) vstore8(joined(vload8(lid, shared), vload8(lid + step, shared)), lid, shared);
        }
        if (lid == 0) vstore8(vload8(0, shared), column * get_num_groups(0) + get_group_id(0), partial);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Sums by bins, whose numbers from 1 are the first column (0: none), over the atoms of a group: of each bin the number of
// atoms, then for each further column a sum of whole numbers, `scales` times the values, in four words, the lowest first. So the
// order of the atoms does not matter, and bins of small values lose nothing to those of large ones.
#define BIN_WORDS 4096 // of local memory, where bins have room

// Adds to the four words at a place.
#define ADD_WHOLE(name, space) \
ALWAYS_INLINE void name(volatile space uint *place, ulong low, ulong high) { \
    const uint parts[4] = {(uint)low, (uint)(low >> 32), (uint)high, (uint)(high >> 32)}; \
    uint carry = 0; \
    for (uint k = 0; k < 4; k++) { \
        const uint part = parts[k] + carry; \
        carry = part < carry; \
        if (!part) continue; \
        const uint before = atomic_add(place + k, part); \
        carry += before + part < before; \
    } \
}
ADD_WHOLE(add_whole, __global)
ADD_WHOLE(add_whole_near, __local)

#define ADD_TO_BIN(space, bins, add) { \
    volatile space uint *row = (bins) + (bin - 1) * width; \
    atomic_inc(row); \
    for (uint column = 1; column < columns; column++) { \
        const accum whole = values[(size_t)column * n + i] * scales[column]; \
        const accum upper = floor(whole * 0x1p-64); \
        add(row + 4 * column - 3, convert_ulong(whole - upper * 0x1p64), (ulong)convert_long(upper)); \
    } \
}

__kernel __attribute__((reqd_work_group_size(REDUCE_LOCAL, 1, 1)))
void add_by_bin(__global const accum *restrict values, __global const uint *restrict mask,
                __global const accum *restrict scales, volatile __global uint *restrict sums, uint group, uint columns,
                uint bins, uint n) {
    __local uint own[BIN_WORDS];
    const uint lid = get_local_id(0), width = 4 * columns - 3, all = bins * width;
    const bool near = all <= BIN_WORDS;
    uint first, last;
    part_of_group(n, &first, &last);
    for (uint k = lid; near && k < all; k += REDUCE_LOCAL) own[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = first + lid; i < last; i += REDUCE_LOCAL) {
        const uint bin = mask[i] & group ? (uint)values[i] : 0;
        if (!bin) continue;
        if (near) ADD_TO_BIN(__local, own, add_whole_near) else ADD_TO_BIN(__global, sums, add_whole)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = lid; near && bin < bins; bin += REDUCE_LOCAL) {
        __local uint *row = own + bin * width;
        if (!row[0]) continue;
        atomic_add(sums + bin * width, row[0]);
        for (uint k = 1; k < width; k += 4)
            add_whole(sums + bin * width + k, (ulong)row[k + 1] << 32 | row[k], (ulong)row[k + 3] << 32 | row[k + 2]);
    }
}
