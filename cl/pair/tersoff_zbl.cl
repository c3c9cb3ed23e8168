// tersoff/zbl, after cl/pair/by_vectors.cl and before cl/pair/tersoff.cl: close atoms have the screened repulsion of their nuclei instead,
// F of the one and 1 - F of the other, with F = 1/(1 + exp(-s (r - r1)))
// numbers of a triplet as for tersoff, and 18 q of the nuclei, 19 1/a of the screening, 20 r1, 21 s, 22 how much longer bonds count
#define TERSOFF_ZBL

// Repulsion and attraction of a bond, with fC, and their slopes.
typedef struct {
    Sloped repel, attract;
} Bond;

// From those of tersoff.
static inline Bond with_nuclei(Bond f, number length, Row e) {
    const number r = length + NUMBER_OF(e, 22);
    const number x = r * NUMBER_OF(e, 19);
    const number a = NUMBER(0.1818) * exp(NUMBER(-3.2) * x), b = NUMBER(0.5099) * exp(NUMBER(-0.9423) * x);
    const number c = NUMBER(0.2802) * exp(NUMBER(-0.4029) * x), d = NUMBER(0.02817) * exp(NUMBER(-0.2016) * x);
    const number fall = NUMBER(3.2) * a + NUMBER(0.9423) * b + NUMBER(0.4029) * c + NUMBER(0.2016) * d;
    const number nuclei = NUMBER_OF(e, 18) * (a + b + c + d) / r;
    const number nuclei_slope = -(nuclei + NUMBER_OF(e, 18) * NUMBER_OF(e, 19) * fall) / r;
    const number far = 1 / (1 + exp(-NUMBER_OF(e, 21) * (r - NUMBER_OF(e, 20)))), far_slope = NUMBER_OF(e, 21) * far * (1 - far);
    const Bond bond = {{FMA(far, f.repel.value - nuclei, nuclei),
                        FMA(far, f.repel.slope - nuclei_slope, nuclei_slope) + far_slope * (f.repel.value - nuclei)},
                       {far * f.attract.value, FMA(far, f.attract.slope, far_slope * f.attract.value)}};
    return bond;
}
