// vashishta, triplets (cl/pair/triplets.cl comes before): B delta^2/(1 + C delta^2) exp(gamma/(r_ij - r0)) exp(gamma/(r_ik - r0)), delta = cos - cos0
// numbers of a triplet: 0 B, 1 C, 2 cos0; of a pair, as the triplet (i, j, j): 3 gamma, 4 r0; others are for pairs
static inline Leg leg_of(number r, Row e) {
    const number none = 0;
    const number inverse = r < NUMBER_OF(e, 4) ? 1 / (r - NUMBER_OF(e, 4)) : none;
    const number rise = r < NUMBER_OF(e, 4) ? exp(NUMBER_OF(e, 3) * inverse) : none;
    const Leg leg = {{rise, -NUMBER_OF(e, 3) * inverse * inverse * rise}, {none, none}};
    return leg;
}

static inline Sloped angle(number c, Row e) {
    const number delta = c - NUMBER_OF(e, 2), y = 1 / FMA(NUMBER_OF(e, 1) * delta, delta, (number)(1));
    const number w = NUMBER_OF(e, 0) * delta * y;
    const Sloped angle = {w * delta, 2 * w * y};
    return angle;
}
