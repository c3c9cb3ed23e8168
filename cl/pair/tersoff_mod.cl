// tersoff/mod and tersoff/mod/c, after cl/pair/by_vectors.cl and before cl/pair/tersoff.cl: fC with another slope, g = c1 + c2 h^2/(c3 +
// h^2) [1 + c4 exp(-c5 h^2)] with h = cos0 - cos, b = (1 + zeta^eta)^(-1/2n), and c0 beside the repulsion
// numbers of a triplet as for tersoff, but for 1 eta, 3 c1, 4 c2, 7 c3, 14 c4, 15 c5, 16 c0
#define TERSOFF_MOD

// fC and its slope.
static inline Sloped cutoff_function(number r, Row e) {
    const number x = (r - NUMBER_OF(e, 10)) / NUMBER_OF(e, 11), quarter = NUMBER(1.5707963267948966);
    Sloped cut = {(number)(1), (number)(0)};
    if (EVERY(x <= -1)) return cut;
    const number slow = quarter * fmin(fmax(x, (number)(-1)), (number)(1)), fast = 3 * slow;
    cut.value = x >= 1 ? (number)(0) : NUMBER(0.5) - (9 * sin(slow) + sin(fast)) / 16;
    cut.slope = fabs(x) >= 1 ? (number)(0) : -quarter / NUMBER_OF(e, 11) * (9 * cos(slow) + 3 * cos(fast)) / 16;
    return cut;
}

// g and its slope by the cosine.
static inline Sloped angle_function(number c, Row e) {
    const number h = NUMBER_OF(e, 5) - c, y = h * h, below = 1 / (NUMBER_OF(e, 7) + y);
    const number wide = NUMBER_OF(e, 4) * y * below, narrow = NUMBER_OF(e, 14) * exp(-NUMBER_OF(e, 15) * y);
    const number slope = NUMBER_OF(e, 4) * NUMBER_OF(e, 7) * below * below * (1 + narrow) - wide * narrow * NUMBER_OF(e, 15); // by h^2
    const Sloped g = {FMA(wide, 1 + narrow, (number)(NUMBER_OF(e, 3))), -2 * h * slope};
    return g;
}

// b and its slope by zeta.
static inline Sloped bond_order(number zeta, Row e) {
    const number power = quick_power(zeta, (number)(NUMBER_OF(e, 1)));
    const number b = quick_power(1 + power, (number)(-1 / (2 * NUMBER_OF(e, 6))));
    // Two atoms within an angstrom have a power beyond fp32.
    const number slope = -b * NUMBER_OF(e, 1) / (2 * NUMBER_OF(e, 6) * zeta * (1 + 1 / power));
    const Sloped order = {zeta <= 0 ? (number)(1) : b, zeta <= 0 ? (number)(0) : slope};
    return order;
}
