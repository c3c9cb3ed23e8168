// sw (Stillinger-Weber): E = sum over pairs of A eps [B (sigma/r)^p - (sigma/r)^q] exp(sigma/(r - a sigma)) + sum over triplets of
// lambda eps (cos - cos0)^2 exp(gamma sigma/(r_ij - a sigma)) exp(gamma sigma/(r_ik - a sigma))
// (cl/pair/triplets.cl comes before)
// numbers of a triplet: 0 lambda eps, 1 cos0; of a pair, as the triplet (i, j, j): 2 A eps, 3 B, 4 p, 5 q, 6 sigma, 7 a sigma, 8 gamma sigma,
// 9 the cutoff of the test; of sw/mod: 10 delta1, 11 delta2. There delta = cos - cos0 counts fC times, with fC from 1 at delta1 to 0 at delta2.

// The exponents of most files are 4 and 0, for which powr takes as long as all else.
static inline number power(number s, number exponent) {
    if (EVERY(exponent == 0)) return (number)(1);
    if (EVERY(exponent == 4)) return s * s * (s * s);
    return quick_power(s, exponent);
}

static inline Leg leg_of(number r, Row e) {
    const number none = 0;
    const number inverse = r < NUMBER_OF(e, 9) ? 1 / (r - NUMBER_OF(e, 7)) : none, s = NUMBER_OF(e, 6) / r;
    const number rise = r < NUMBER_OF(e, 9) ? exp(NUMBER_OF(e, 8) * inverse) : none;
    const number fall = r < NUMBER_OF(e, 9) ? NUMBER_OF(e, 2) * exp(NUMBER_OF(e, 6) * inverse) : none;
    const number repel = NUMBER_OF(e, 3) * power(s, (number)(NUMBER_OF(e, 4))), attract = power(s, (number)(NUMBER_OF(e, 5)));
    const number pair = fall * (repel - attract);
    const Leg leg = {{rise, -NUMBER_OF(e, 8) * inverse * inverse * rise},
                     {pair, fall * (NUMBER_OF(e, 5) * attract - NUMBER_OF(e, 4) * repel) / r - pair * NUMBER_OF(e, 6) * inverse * inverse}};
    return leg;
}

#if WIDTH > 10
static inline number counted(number delta, Row e) {
    const number place = (fabs(delta) - NUMBER_OF(e, 10)) / (NUMBER_OF(e, 11) - NUMBER_OF(e, 10));
    const number within = fmin(fmax(place, (number)(0)), (number)(1));
    return delta * (1 + cos(NUMBER(3.1415926535897932) * within)) / 2;
}
#else
#define counted(delta, e) (delta)
#endif

static inline Sloped angle(number c, Row e) {
    const number lack = counted(c - NUMBER_OF(e, 1), e), w = NUMBER_OF(e, 0) * lack;
    const Sloped angle = {w * lack, 2 * w};
    return angle;
}
