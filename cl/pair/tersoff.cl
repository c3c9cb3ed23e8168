// tersoff: E = 1/2 sum over ordered pairs of fC [A exp(-l1 r) - b B exp(-l2 r)], b = (1 + (beta zeta)^n)^(-1/2n), zeta = sum over others of
// fC g(cos) exp(l3^m (r_ij - r_ik)^m)
// numbers of a triplet: 0 m, 1 gamma, 2 l3 (to the power m), 3 c^2, 4 d^2, 5 cos0, 6 n, 7 beta, 8 l2, 9 B, 10 R, 11 D, 12 l1, 13 A,
// 14 to 17: bounds of beta zeta from which on b is a series
#define M_OF(e) NUMBER_OF(e, 0)
#define GAMMA_OF(e) NUMBER_OF(e, 1)
#define L3_OF(e) NUMBER_OF(e, 2)
#define C2_OF(e) NUMBER_OF(e, 3)
#define D2_OF(e) NUMBER_OF(e, 4)
#define COS0_OF(e) NUMBER_OF(e, 5)
#define N_OF(e) NUMBER_OF(e, 6)
#define BETA_OF(e) NUMBER_OF(e, 7)
#define L2_OF(e) NUMBER_OF(e, 8)
#define B_OF(e) NUMBER_OF(e, 9)
#define R_OF(e) NUMBER_OF(e, 10)
#define D_OF(e) NUMBER_OF(e, 11)
#define L1_OF(e) NUMBER_OF(e, 12)
#define A_OF(e) NUMBER_OF(e, 13)
#define SCRATCH_WEIGHT(k) SCRATCHED(k, 0)

#ifndef TERSOFF_MOD
// fC and its slope.
static inline real2 cutoff_function(real r, Entry e) {
    const real x = (r - R_OF(e)) / D_OF(e);
    if (x <= -1) return (real2)(1, 0);
    if (x >= 1) return (real2)(0, 0);
    const real angle = x * NUMBER(1.5707963267948966);
    return (real2)((1 - sin(angle)) / 2, -NUMBER(0.78539816339744831) / D_OF(e) * cos(angle));
}

// g and its slope by the cosine.
static inline real2 angle_function(real c, Entry e) {
    const real h = COS0_OF(e) - c, y = 1 / FMA(h, h, D2_OF(e));
    // c^2/d^2 - c^2 y would cancel in fp32.
    return (real2)(GAMMA_OF(e) * (1 + C2_OF(e) / D2_OF(e) * h * h * y), -2 * GAMMA_OF(e) * C2_OF(e) * h * y * y);
}

// b and its slope by zeta.
static inline real2 bond_order(real zeta, Entry e) {
    const real t = BETA_OF(e) * zeta, n = N_OF(e);
    if (t > NUMBER_OF(e, 14)) return (real2)(rsqrt(t), -BETA_OF(e) / 2 * rsqrt(t) / t);
    if (t > NUMBER_OF(e, 15)) {
        const real tn = powr(t, -n);
        return (real2)((1 - tn / (2 * n)) * rsqrt(t), -BETA_OF(e) / 2 * rsqrt(t) / t * (1 - (1 + 1 / (2 * n)) * tn));
    }
    if (t < NUMBER_OF(e, 17)) return (real2)(1, 0);
    const real tn = powr(t, n);
    if (t < NUMBER_OF(e, 16)) return (real2)(1 - tn / (2 * n), -BETA_OF(e) / 2 * tn / t);
    const real b = powr(1 + tn, -1 / (2 * n));
    return (real2)(b, -b / (1 + tn) * tn / (2 * zeta));
}
#endif

// Repulsion, its slope, attraction, its slope, with fC.
static inline real4 bond_functions(real r, Entry e) {
    const real2 cut = cutoff_function(r, e);
    const real most = A_OF(e) * exp(-L1_OF(e) * r), attract = -B_OF(e) * exp(-L2_OF(e) * r);
#ifdef TERSOFF_MOD
    const real repel = most + NUMBER_OF(e, 16);
#else
    const real repel = most;
#endif
    const real4 f = (real4)(cut.x * repel, cut.y * repel - cut.x * L1_OF(e) * most, cut.x * attract, (cut.y - cut.x * L2_OF(e)) * attract);
#ifdef TERSOFF_ZBL
    return with_nuclei(f, r, e);
#else
    return f;
#endif
}

// What a neighbour at distance s, cos c away from the bond of length r, adds to zeta; and the slopes by r, s and c.
static inline real4 zeta_term(real r, real s, real c, Entry e) {
    const real2 cut = cutoff_function(s, e);
    const real2 g = angle_function(c, e);
    const real x = r - s;
    real power = L3_OF(e) * x, power_slope = L3_OF(e);
    if (M_OF(e) == 3) {
        power_slope *= 3 * x * x;
        power *= x * x;
    }
    const real most = NUMBER(69.0776);
    real rise = exp(fmin(power, most)), rise_slope = power_slope * rise;
    if (power > most) rise = NUMBER(1e30), rise_slope = 0;
    if (power < -most) rise = 0, rise_slope = 0;
    return (real4)(cut.x * g.x * rise, cut.x * g.x * rise_slope, g.x * (cut.y * rise - cut.x * rise_slope), cut.x * g.y * rise);
}

static inline real around_atom(uint n, uint kind, Around a) {
    real energy = 0;
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const Entry own = TRIPLET(kind, KIND(j), KIND(j));
        real4 p = 0;
        real weight = 0;
        if (u.w < R_OF(own) + D_OF(own)) {
            real zeta = 0;
            for (uint k = 0; k < n; k++) {
                if (k == j) continue;
                const real4 v = LEG(k);
                zeta += zeta_term(u.w, v.w, dot(u.xyz, v.xyz), TRIPLET(kind, KIND(j), KIND(k))).x;
            }
            const real2 b = bond_order(zeta, own);
            const real4 f = bond_functions(u.w, own);
            weight = f.z * b.y / 2;
            const real share = FMA(b.x, f.z, f.x) / 4; // half of the bond's half
            energy += share;
            p = (real4)(FMA(b.x, f.w, f.y) / 2 * u.xyz, share);
            LEG_VIRIAL(j, p.xyz)
        }
        SLOT(j) = p;
        SCRATCH_WEIGHT(j) = weight;
    }
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const real weight = SCRATCH_WEIGHT(j);
        real4 p = SLOT(j);
        for (uint k = 0; k < n; k++) {
            if (k == j) continue;
            const real4 v = LEG(k);
            const real c = dot(u.xyz, v.xyz), other = SCRATCH_WEIGHT(k);
            // As the bond, with k beside it, and beside the bond k.
            const real4 z = zeta_term(u.w, v.w, c, TRIPLET(kind, KIND(j), KIND(k)));
            const real4 y = zeta_term(v.w, u.w, c, TRIPLET(kind, KIND(k), KIND(j)));
            const real along = weight * z.y + other * y.z, turn = (weight * z.w + other * y.w) / u.w;
            p.xyz += along * u.xyz + turn * (v.xyz - c * u.xyz);
            TRIPLET_VIRIAL(j, k, weight * (z.y * u.xyz + z.w / u.w * (v.xyz - c * u.xyz)),
                           weight * (z.z * v.xyz + z.w / v.w * (u.xyz - c * v.xyz)))
        }
        SLOT(j) = p;
    }
    return energy;
}
