// tersoff/mod and tersoff/mod/c, before cl/pair/tersoff.cl: fC with another slope, g = c1 + c2 h^2/(c3 + h^2) [1 + c4 exp(-c5 h^2)] with h = cos0 - cos,
// b = (1 + zeta^eta)^(-1/2n), and c0 beside the repulsion
// numbers of a triplet as for tersoff, but for 1 eta, 3 c1, 4 c2, 7 c3, 14 c4, 15 c5, 16 c0
#define TERSOFF_MOD

// fC and its slope.
static inline real2 cutoff_function(real r, Entry e) {
    const real x = (r - NUMBER_OF(e, 10)) / NUMBER_OF(e, 11), quarter = NUMBER(1.5707963267948966);
    if (x <= -1) return (real2)(1, 0);
    if (x >= 1) return (real2)(0, 0);
    const real slow = quarter * x, fast = 3 * slow;
    return (real2)(NUMBER(0.5) - (9 * sin(slow) + sin(fast)) / 16, -quarter / NUMBER_OF(e, 11) * (9 * cos(slow) + 3 * cos(fast)) / 16);
}

// g and its slope by the cosine.
static inline real2 angle_function(real c, Entry e) {
    const real h = NUMBER_OF(e, 5) - c, y = h * h, below = 1 / (NUMBER_OF(e, 7) + y);
    const real wide = NUMBER_OF(e, 4) * y * below, narrow = NUMBER_OF(e, 14) * exp(-NUMBER_OF(e, 15) * y);
    const real slope = NUMBER_OF(e, 4) * NUMBER_OF(e, 7) * below * below * (1 + narrow) - wide * narrow * NUMBER_OF(e, 15); // by h^2
    return (real2)(FMA(wide, 1 + narrow, NUMBER_OF(e, 3)), -2 * h * slope);
}

// b and its slope by zeta.
static inline real2 bond_order(real zeta, Entry e) {
    if (zeta <= 0) return (real2)(1, 0);
    const real power = powr(zeta, NUMBER_OF(e, 1)), b = powr(1 + power, -1 / (2 * NUMBER_OF(e, 6)));
    return (real2)(b, -b / (1 + power) * power * NUMBER_OF(e, 1) / (2 * NUMBER_OF(e, 6) * zeta));
}
