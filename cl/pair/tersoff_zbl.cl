// tersoff/zbl, before cl/pair/tersoff.cl: close atoms have the screened repulsion of their nuclei instead, F of the one and 1 - F of the other, with
// F = 1/(1 + exp(-s (r - r1)))
// numbers of a triplet as for tersoff, and 18 q of the nuclei, 19 1/a of the screening, 20 r1, 21 s
#define TERSOFF_ZBL

// From repulsion, its slope, attraction, its slope of tersoff.
static inline real4 with_nuclei(real4 f, real r, Entry e) {
    const real x = r * NUMBER_OF(e, 19);
    const real a = NUMBER(0.1818) * exp(NUMBER(-3.2) * x), b = NUMBER(0.5099) * exp(NUMBER(-0.9423) * x);
    const real c = NUMBER(0.2802) * exp(NUMBER(-0.4029) * x), d = NUMBER(0.02817) * exp(NUMBER(-0.2016) * x);
    const real fall = FMA(NUMBER(3.2), a, FMA(NUMBER(0.9423), b, FMA(NUMBER(0.4029), c, NUMBER(0.2016) * d)));
    const real nuclei = NUMBER_OF(e, 18) * (a + b + c + d) / r;
    const real nuclei_slope = -(nuclei + NUMBER_OF(e, 18) * NUMBER_OF(e, 19) * fall) / r;
    const real far = 1 / (1 + exp(-NUMBER_OF(e, 21) * (r - NUMBER_OF(e, 20)))), far_slope = NUMBER_OF(e, 21) * far * (1 - far);
    return (real4)(FMA(far, f.x - nuclei, nuclei), FMA(far, f.y - nuclei_slope, nuclei_slope) + far_slope * (f.x - nuclei), far * f.z,
                   FMA(far, f.w, far_slope * f.z));
}
