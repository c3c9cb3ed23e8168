// edip: E = sum over ordered pairs of A [(B/r)^rho - exp(-beta Z^2)] exp(sigma/(r - a)) + sum over triplets of exp(gamma/(r_ij - a))
// exp(gamma/(r_ik - a)) lambda [1 - exp(-q) + eta q], q = Q0 exp(-mu Z) (cos + tau)^2, tau = u1 + u2 [u3 exp(-u4 Z) - exp(-2 u4 Z)], with Z
// = sum of f(r), how many neighbours there are: f is 1 up to c, beyond exp(alpha/(1 - x^-3)) with x = (r - c)/(a - c)
// numbers of a triplet: 0 lambda, 1 eta, 2 mu, 3 Q0, 4 u1, 5 u2, 6 u3, 7 u4; of a pair, as the triplet (i, j, j): 8 A, 9 B, 10 a, 11 c, 12
// alpha, 13 beta, 14 gamma, 15 rho, 16 sigma
#define SCRATCH_RISE(k) SCRATCHED(k, 0)
#define SCRATCH_SLOPE(k) SCRATCHED(k, 1)
#define SCRATCH_COUNT(k) SCRATCHED(k, 2) // the slope of f

// f and its slope.
static inline real2 counted(real r, Entry e) {
    const real reach = NUMBER_OF(e, 10) - NUMBER_OF(e, 11), x = (r - NUMBER_OF(e, 11)) / reach;
    if (x <= 0) return (real2)(1, 0);
    const real y = x * x * x, inverse = 1 / fmin(y - 1, (real)(-1e-6f)), power = NUMBER_OF(e, 12) * y * inverse;
    if (power < -80) return (real2)(0, 0);
    const real f = exp(power);
    return (real2)(f, -3 * NUMBER_OF(e, 12) * x * x * inverse * inverse / reach * f);
}

// What the number of neighbors makes of the angles of a kind of triplet: Q0 exp(-mu Z), tau and its slope.
typedef struct {
    real sharp, tau, slope;
} Shape;

static inline Shape shape_of(real count, Entry e) {
    const real decay = exp(-NUMBER_OF(e, 7) * count);
    const Shape shape = {NUMBER_OF(e, 3) * exp(-NUMBER_OF(e, 2) * count), NUMBER_OF(e, 4) + NUMBER_OF(e, 5) * (NUMBER_OF(e, 6) - decay) * decay,
                         NUMBER_OF(e, 5) * NUMBER_OF(e, 7) * (2 * decay - NUMBER_OF(e, 6)) * decay};
    return shape;
}

// lambda [1 - exp(-q) + eta q] for a cosine, and its slopes by that and by the number of neighbors.
typedef struct {
    real value, by_cosine, by_count;
} Angle;

static inline Angle angle_of(real c, Shape shape, Entry e) {
    const real lean = c + shape.tau, q = shape.sharp * lean * lean, less = exp(-q);
    const real by_q = NUMBER_OF(e, 0) * (less + NUMBER_OF(e, 1)), turn = by_q * 2 * shape.sharp * lean;
    const Angle angle = {NUMBER_OF(e, 0) * (1 - less + NUMBER_OF(e, 1) * q), turn, turn * shape.slope - by_q * NUMBER_OF(e, 2) * q};
    return angle;
}

#if TRIPLET_KINDS == 1
#define SHAPE(e) shape
#else
#define SHAPE(e) shape_of(count, e)
#endif

ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    real count = 0, energy = 0, by_count = 0;
    for (uint j = 0; j < n; j++) {
        const Entry e = TRIPLET(kind, KIND(j), KIND(j));
        const real r = LEG(j).w;
        const real2 f = r < NUMBER_OF(e, 10) ? counted(r, e) : (real2)(0, 0);
        count += f.x;
        SCRATCH_COUNT(j) = f.y;
    }
    for (uint j = 0; j < n; j++) {
        const Entry e = TRIPLET(kind, KIND(j), KIND(j));
        const real4 u = LEG(j);
        real4 p = 0;
        real rise = 0, rise_slope = 0;
        if (u.w < NUMBER_OF(e, 10)) {
            const real inverse = 1 / (u.w - NUMBER_OF(e, 10));
            rise = exp(NUMBER_OF(e, 14) * inverse);
            rise_slope = -NUMBER_OF(e, 14) * inverse * inverse * rise;
            // As a power, as powr would take several times as long.
            const real repel = exp2(NUMBER_OF(e, 15) * log2(NUMBER_OF(e, 9) / u.w)), fall = NUMBER_OF(e, 8) * exp(NUMBER_OF(e, 16) * inverse);
            const real attract = exp(-NUMBER_OF(e, 13) * count * count), pair = fall * (repel - attract);
            const real slope = -fall * NUMBER_OF(e, 15) * repel / u.w - pair * NUMBER_OF(e, 16) * inverse * inverse;
            by_count += 2 * NUMBER_OF(e, 13) * count * attract * fall;
            energy += pair / 2;
            p = (real4)(slope * u.xyz, pair / 2);
            LEG_VIRIAL(j, p.xyz)
        }
        SLOT(j) = p;
        SCRATCH_RISE(j) = rise;
        SCRATCH_SLOPE(j) = rise_slope;
    }
#if TRIPLET_KINDS == 1
    const Shape shape = shape_of(count, 0);
#endif
    for (uint j = 0; j < n; j++) {
        const real4 u = LEG(j);
        const real rise = SCRATCH_RISE(j), slope = SCRATCH_SLOPE(j);
        real4 p = SLOT(j);
        for (uint k = j + 1; k < n; k++) {
            const Entry e = TRIPLET(kind, KIND(j), KIND(k));
            const real4 v = LEG(k);
            const real c = dot(u.xyz, v.xyz), other = SCRATCH_RISE(k), both = rise * other;
            const Angle angle = angle_of(c, SHAPE(e), e); // (i, k, j) has the same numbers
            by_count += both * angle.by_count;
            energy += both * angle.value / 3;
            const real3 push = other * (angle.value * slope * u.xyz + angle.by_cosine * rise / u.w * (v.xyz - c * u.xyz));
            const real3 pull = rise * (angle.value * SCRATCH_SLOPE(k) * v.xyz + angle.by_cosine * other / v.w * (u.xyz - c * v.xyz));
            p += (real4)(push, both * angle.value / 3);
            SLOT(k) += (real4)(pull, both * angle.value / 3);
            TRIPLET_VIRIAL(j, k, push, pull)
        }
        SLOT(j) = p;
    }
    for (uint j = 0; j < n; j++) {
        const real3 push = by_count * SCRATCH_COUNT(j) * LEG(j).xyz;
        real4 p = SLOT(j);
        p.xyz += push;
        LEG_VIRIAL(j, push)
        SLOT(j) = p;
    }
    return energy;
}
