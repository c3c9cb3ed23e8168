// Links between atoms: bonds, and special neighbours, whose pair forces do not count in full. The host lists them by
// IDs, as WIDTH pairs (ID of the other atom, code) per ID, ended by code 0: the type of a bond, or how many bonds
// are between. Here they become pairs (place, code) at each rebuild, entry k of the atom at place i at
// k * stride + i. Where lists see several copies of the box, a place is that of the nearest copy.

// The place of each ID, counted from 1; with `molecules`, molecule IDs by place from those by ID.
#define MAP_TAG(k) { \
    place[tag[k]] = (k) + 1; \
    if (molecules) molecule[k] = molecule_of[tag[k]]; \
}
__kernel void map_tags(__global const uint *restrict tag, __global uint *restrict place,
                       __global const uint *restrict molecule_of, __global uint *restrict molecule,
                       __global const uint *restrict status, uint step, int molecules, uint begin, uint end) {
    const uint k = begin + get_global_id(0);
    if (k < end && !passed_over(status, &step)) MAP_TAG(k)
}

// The same of `n` atoms here and there.
__kernel void map_tags_of(__global const uint *restrict tag, __global uint *restrict place,
                          __global const uint *restrict molecule_of, __global uint *restrict molecule,
                          __global const uint *restrict status, uint step, int molecules, __global const uint *restrict places, uint n) {
    if (get_global_id(0) >= n || passed_over(status, &step)) return;
    const uint k = places[get_global_id(0)];
    MAP_TAG(k)
}

// Whether two atoms are so far apart along an axis, by their nearest images, that their staged positions look nearer.
static inline int aliased(master a, master b, int axis, __constant const Box *box) {
#ifdef DOUBLE
    return 0;
#else
    master d = a - b;
    if (box->images[axis]) d -= (master)rint(convert_accum(d) * box->inverse_length[axis]) * box->length[axis];
#ifdef SINGLE
    return d >= (1L << 47) || d < -(1L << 47);
#else
    return fabs(d * box->to_staged[axis]) >= 2147483648.0;
#endif
#endif
}

// Of atoms from `begin` to `end`. With `bonds` a partner that is too far away halts the run, and one that is gone with `bonds` 1; else it is
// left out. With `near`, where other atoms than these may be unknown here, `missing` tells of those.
__kernel void map_links(__global const uint *restrict tag, __global const uint *restrict place,
                        __global const uint *restrict links, __global uint *restrict links_at,
                        __global const master *restrict x, __global const staged *restrict position,
                        __constant const Box *box, __global uint *restrict status, uint step, uint width, int bonds,
                        uint stride, uint begin, uint end, int near, __global uint *restrict missing) {
    const uint i = begin + get_global_id(0);
    if (i >= end || passed_over(status, &step)) return;
    const uint kept = status[STATUS_KEPT];
    if (i >= kept) return;
    const uint copies = box->replicas[0] * box->replicas[1] * box->replicas[2];
    const staged me = position[i];
    uint count = 0;
    for (uint k = 0; k < width; k++) {
        const uint2 link = vload2((size_t)tag[i] * width + k, links);
        if (link.y == 0) break;
        const uint other = place[link.x] - 1;
        if (other >= kept) {
            if (bonds && near) *missing = 1;
            else if (bonds) report_bond(status, step, bonds == 1 ? BOND_MISSING : BOND_LET_GO, tag[i]);
            continue;
        }
        const master3 a = STRAIGHTEN(vload3(i, x), box), b = STRAIGHTEN(vload3(other, x), box);
        if (bonds && (aliased(a.x, b.x, 0, box) || aliased(a.y, b.y, 1, box) || aliased(a.z, b.z, 2, box)))
            report_bond(status, step, BOND_FAR, min(tag[i], link.x));
        uint nearest = other;
        real least = square(displacement(me, position[other], box));
        for (uint r = 1; r < copies; r++) {
            const real distance = square(displacement(me, position[r * stride + other], box));
            if (distance < least) {
                least = distance;
                nearest = r * stride + other;
            }
        }
        vstore2((uint2)(nearest, link.y), (size_t)count * stride + i, links_at);
        count++;
    }
    if (count < width) vstore2((uint2)(0), (size_t)count * stride + i, links_at);
}
