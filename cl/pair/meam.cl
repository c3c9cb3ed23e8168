// meam: the energy at an atom is F(rho) + sum over neighbours of S phi(r)/2. S is what others leave of a pair, with the fall to zero at the cutoff.
// rho is made of the densities S rho_l of the neighbours, l = 0 to 3, and of the sums of these times their unit vectors.
// Numbers of a triplet: 0 Cmin. 1 Cmax. 2 1/(Cmax - Cmin).
// Numbers of a pair:
//   Of both: 0 cutoff. 1 1/length before it. 2 rows of phi per distance. 3 the last row.
//   Of the neighbour: 4 rho0. 5 1/re. 6 to 9 beta. 10 to 12 t.
//   Of the atom: 13 to 15 t. 16 how t is averaged. 17 whether the reference density has these averages. 18 whether F goes on as a line below 0.
//   19 ibar. 20 gsmooth_factor. 21 the reference density. 22 A Ec. 23 to 25 shape.
//   Of both: 26 the largest Cmax. 27 where the rows of phi begin in `samples`, in eights of numbers.
#if CLUSTER > 1
#define WIDE 1
#define AT_ONCE VW
typedef realv number;
typedef maskv truth;
#define SOME(condition) ANY(condition)
#define TOGETHER(v, op) FOLD(v, op) // all numbers of one
#else
#define WIDE 0
#define AT_ONCE 1
typedef real number;
typedef int truth;
#define SOME(condition) (condition)
#define TOGETHER(v, op) (v)
#endif
#define T_OF(c, at) ((real3)(PAIR_NUMBER(c, at), PAIR_NUMBER(c, (at) + 1), PAIR_NUMBER(c, (at) + 2)))
#define NUMBERS_OF(j) PAIR_NUMBERS(kind, KIND(j))

// On CPUs, whose atoms share lists, a `number` is those of VW neighbours, whose types are `kinds`; else of one.
#if WIDE
typedef struct {
    real x[PADDED(SLOTS)], y[PADDED(SLOTS)], z[PADDED(SLOTS)], square[PADDED(SLOTS)];
    real by_x[PADDED(SLOTS)], by_y[PADDED(SLOTS)], by_z[PADDED(SLOTS)]; // the slopes of U
#if TYPES > 1
    uint kinds[PADDED(SLOTS)], kinds_left[PADDED(SLOTS)];
#endif
    // Of which others leave something: which neighbours these are, how much, and how far they are.
    uint count, at[PADDED(SLOTS)];
    real left[PADDED(SLOTS)], r[PADDED(SLOTS)], ux[PADDED(SLOTS)], uy[PADDED(SLOTS)], uz[PADDED(SLOTS)];
} Ways;
typedef struct {
    __global const real *first;
#if TYPES > 1
    uintv kinds;
#endif
} Row;
static inline number chosen(Row row, uint k, uint stride) {
    number value = row.first[k];
#if TYPES > 1
    for (uint t = 1; t < TYPES; t++) value = convert_maskv(row.kinds == (uintv)(t + 1)) ? (number)(row.first[k + t * stride]) : value;
#endif
    return value;
}
#if TYPES > 1
#define KINDS_AT(kinds, k) , LOADV((kinds) + (k))
#else
#define KINDS_AT(kinds, k)
#endif
#define OF(row, k) chosen(row, ROW_ENTRY((k) + 1), 4)
#define PAIR_ROW(j) (Row){PAIR_NUMBERS(kind, 1) KINDS_AT(ways->kinds_left, j)}
#if TRIPLET_KINDS == 1
#define SCREEN_ROW(j, k) 0
typedef uint ScreenRow;
#define SCREEN_OF(row, k) K##k
#else
typedef Row ScreenRow;
#define SCREEN_ROW(j, k) (Row){TRIPLET(kind, KIND(j), 1) KINDS_AT(ways->kinds, k)}
#define SCREEN_OF(row, k) chosen(row, k, WIDTH)
#endif
#define CUBIC(f, samples, table, row) const Four f = rows_of(samples, 2 * convert_uintv(table) + convert_uintv(row));
#define ADD_SLOPES(k, q) { \
    STOREV(LOADV(ways->by_x + k) + q.x, ways->by_x + k); \
    STOREV(LOADV(ways->by_y + k) + q.y, ways->by_y + k); \
    STOREV(LOADV(ways->by_z + k) + q.z, ways->by_z + k); \
}
// Leaves neighbour j at the place s of those of which others leave a part.
ALWAYS_INLINE void leave(Ways *ways, uint s, uint j, real part, Around a) {
    const real4 leg = LEG(j);
    ways->at[s] = j, ways->left[s] = part, ways->r[s] = leg.w, ways->ux[s] = leg.x, ways->uy[s] = leg.y, ways->uz[s] = leg.z;
#if TYPES > 1
    ways->kinds_left[s] = KIND(j);
#endif
}
#else
#define LEFT(k) SCRATCHED(k, 0) // what others leave of the pair with a neighbour
typedef __global const real *Row;
typedef Entry ScreenRow;
#define OF(row, k) PAIR_NUMBER(row, k)
#define PAIR_ROW(j) NUMBERS_OF(j)
#define SCREEN_ROW(j, k) TRIPLET(kind, KIND(j), KIND(k))
#define SCREEN_OF(row, k) NUMBER_OF(row, k)
typedef struct {
    real a, b, c, d;
} Cubic;
#define CUBIC(f, samples, table, row) \
    const real4 row_ = ((__global const real4 *)(samples))[2 * (uint)(table) + (uint)(row)]; \
    const Cubic f = {row_.x, row_.y, row_.z, row_.w};
#define ADD_SLOPES(k, q) SLOT(k) += (real4)(q.x, q.y, q.z, 0);
#endif

// A function and its slope.
typedef struct {
    number value, slope;
} Sloped;
typedef struct {
    number x, y, z;
} Vector;

// The virial of what others k to k + AT_ONCE - 1 have to do with the pair with j, of n neighbours in all.
ALWAYS_INLINE void add_screen_virials(uint n, uint j, uint k, Vector p, Vector q, Around a) {
#if VIRIALS && WIDE
    real p_[3][VW], q_[3][VW];
    STOREV(p.x, p_[0]), STOREV(p.y, p_[1]), STOREV(p.z, p_[2]);
    STOREV(q.x, q_[0]), STOREV(q.y, q_[1]), STOREV(q.z, q_[2]);
    for (uint t = 0; t < min((uint)VW, n - k); t++)
        TRIPLET_VIRIAL(j, k + t, (real3)(p_[0][t], p_[1][t], p_[2][t]), (real3)(q_[0][t], q_[1][t], q_[2][t]))
#else
    TRIPLET_VIRIAL(j, k, (real3)(p.x, p.y, p.z), (real3)(q.x, q.y, q.z))
#endif
}

// (1 - (1 - x)^4)^2 from 0 to 1.
static inline Sloped smooth_step(number x) {
    const number rest = 1 - fmin(fmax(x, (number)(0)), (number)(1)), cube = rest * rest * rest, whole = 1 - cube * rest;
    const Sloped step = {whole * whole, 8 * whole * cube};
    return step;
}

// G and its slope.
static inline real2 gamma_function(real gamma, real ibar, real smoothing) {
    if (ibar == 1) {
        const real g = exp(gamma / 2);
        return (real2)(g, g / 2);
    }
    if (ibar == 3) {
        const real g = 2 / (1 + exp(-gamma));
        return (real2)(g, g * (2 - g) / 2);
    }
    if (ibar == -5) {
        const real root = sqrt(fabs(1 + gamma));
        return (real2)(gamma < -1 ? -root : root, 1 / (2 * root));
    }
    const real from = -smoothing / (smoothing + 1);
    if (gamma < from) {
        const real g = sqrt(powr(from / gamma, smoothing) / (smoothing + 1));
        return (real2)(g, -smoothing * g / (2 * gamma));
    }
    const real g = sqrt(1 + gamma);
    return (real2)(g, 1 / (2 * g));
}

// The way from i to a neighbour, and its square.
typedef struct {
    number x, y, z, square;
} Way;
#if WIDE
#define WAYS_PARAMETER , Ways *ways
#define WAYS_PASSED , ways
#define WAYS(k) (Way){LOADV(ways->x + (k)), LOADV(ways->y + (k)), LOADV(ways->z + (k)), LOADV(ways->square + (k))}
#define WAY(j) (Way){(number)(ways->x[j]), (number)(ways->y[j]), (number)(ways->z[j]), (number)(ways->square[j])}
#else
#define WAYS_PARAMETER
#define WAYS_PASSED
#define WAYS(k) (Way){LEG(k).w * LEG(k).x, LEG(k).w * LEG(k).y, LEG(k).w * LEG(k).z, LEG(k).w * LEG(k).w}
#define WAY(j) (Way){LEG(j).w * LEG(j).x, LEG(j).w * LEG(j).y, LEG(j).w * LEG(j).z, LEG(j).w * LEG(j).w}
#endif

// An atom k beside the pair i, j: squared distances over that of i and j. C is c/a, and counts below Cmax.
typedef struct {
    Vector between; // the way from k to j
    number x, y, a; // of i and k, of j and k; 1 - (x - y)^2
    number c;
} Beside;
#define MAY_SCREEN(b, most) ((b).y > 0 & (b).a > 0 & (b).c < (most) * (b).a) // j is not beside itself
static inline Beside beside(Way j, Way k, number inverse) {
    Beside b;
    b.between = (Vector){j.x - k.x, j.y - k.y, j.z - k.z};
    b.x = k.square * inverse;
    b.y = FMA(b.between.z, b.between.z, FMA(b.between.y, b.between.y, b.between.x * b.between.x)) * inverse;
    b.a = 1 - (b.x - b.y) * (b.x - b.y);
    b.c = 2 * (b.x + b.y) + b.a - 2;
    return b;
}

// What all others leave of the pair with a neighbour.
ALWAYS_INLINE real left_of(uint n, uint kind, uint j, Around a WAYS_PARAMETER) {
    const Way way = WAY(j);
    const real most = PAIR_NUMBER(NUMBERS_OF(j), 26);
    const number inverse = 1 / way.square;
    number left = 1;
    for (uint k = 0; k < n; k += AT_ONCE) {
        const Beside b = beside(way, WAYS(k), inverse);
        const truth screens = MAY_SCREEN(b, most);
        if (!SOME(screens)) continue;
        const ScreenRow e = SCREEN_ROW(j, k);
        const number least = SCREEN_OF(e, 0);
        if (SOME(screens & b.c <= least * b.a)) return 0;
        left *= screens ? smooth_step((b.c / b.a - least) * SCREEN_OF(e, 2)).value : (number)(1);
    }
    return TOGETHER(left, *);
}

// What others do to a pair whose energy is `whole` times what they leave of it. Returns the slope by the way to j.
ALWAYS_INLINE real3 push_screens(uint n, uint kind, uint j, real whole, Around a WAYS_PARAMETER) {
    const Way way = WAY(j);
    const real most = PAIR_NUMBER(NUMBERS_OF(j), 26);
    const number inverse = 1 / way.square;
    number shrink = 0;
    Vector pull = {0, 0, 0};
    for (uint k = 0; k < n; k += AT_ONCE) {
        const Way other = WAYS(k);
        const Beside b = beside(way, other, inverse);
        const truth screens = MAY_SCREEN(b, most);
        if (!SOME(screens)) continue;
        const ScreenRow e = SCREEN_ROW(j, k);
        const number below = screens ? b.a : (number)(1), c = b.c / below;
        const Sloped part = smooth_step((c - SCREEN_OF(e, 0)) * SCREEN_OF(e, 2));
        const number by_c = screens ? whole * part.slope * SCREEN_OF(e, 2) / part.value : (number)(0);
        const number lean = (c - 1) * (b.x - b.y), factor = 4 * by_c * inverse / below;
        const number by_x = factor * (1 + lean), by_y = factor * (1 - lean), sides = b.x * by_x + b.y * by_y;
        const Vector p = {by_y * b.between.x, by_y * b.between.y, by_y * b.between.z};
        const Vector q = {by_x * other.x - p.x, by_x * other.y - p.y, by_x * other.z - p.z};
        shrink -= sides;
        pull.x += p.x, pull.y += p.y, pull.z += p.z;
        ADD_SLOPES(k, q)
        add_screen_virials(n, j, k, p, q, a);
    }
    const real by_j = TOGETHER(shrink, +);
    const real3 shrunk = by_j * LEG(j).w * LEG(j).xyz;
    LEG_VIRIAL(j, shrunk)
    return shrunk + (real3)(TOGETHER(pull.x, +), TOGETHER(pull.y, +), TOGETHER(pull.z, +));
}

// Of a bond: phi and the fall at the cutoff with their slopes, and the densities 0 to 3 of the neighbour, which have its weights where
// these are averaged so.
typedef struct {
    Sloped phi, taper;
    number rho[4];
} Bond;
static inline Bond bond_of(number r, Row c, real averaging, __global const real *samples) {
    Bond bond;
    const number place = r * OF(c, 2), row = fmin(floor(place), OF(c, 3)), p = fmin(place - row, (number)(1)), x = 1 - r * OF(c, 5);
    CUBIC(f, samples, OF(c, 27), row)
    bond.phi.value = FMA(FMA(FMA(f.a, p, f.b), p, f.c), p, f.d);
    bond.phi.slope = FMA(FMA(3 * f.a, p, 2 * f.b), p, f.c) * OF(c, 2);
    bond.taper = smooth_step((OF(c, 0) - r) * OF(c, 1));
SHORT_LOOP
    for (uint l = 0; l < 4; l++) {
        bond.rho[l] = OF(c, 4) * exp(x * OF(c, 6 + l));
        if (averaging == 1 && l > 0) bond.rho[l] *= OF(c, 9 + l);
    }
    return bond;
}

// Sums over the neighbours of an atom.
typedef struct {
    real rho0, trace, all;              // all: xyz
    real3 weights, squares;
    real3 dipole, vector;
    real3 quadrupole, corners;          // xx yy zz, yz xz xy
    real3 cubes, next, before;          // xxx yyy zzz, xxy yyz zzx, xxz yyx zzy
} Moments;
static inline void add_moments(Moments *m, real4 rho, real3 v, real3 t) {
    const real3 turned = v.yzx, squares = v * v, second = rho.z * v, third = rho.w * squares;
    m->rho0 += rho.x;
    m->trace += rho.z;
    m->weights += rho.x * t;
    m->squares += rho.x * t * t;
    m->dipole += rho.y * v;
    m->vector += rho.w * v;
    m->quadrupole += second * v;
    m->corners += rho.z * turned * v.zxy;
    m->cubes += third * v;
    m->next += third * turned;
    m->before += third * v.zxy;
    m->all += rho.w * v.x * v.y * v.z;
}

// What the moments make of an atom: its energy F, F' over the reference density, and what weights and moments do to it.
typedef struct {
    real energy, averaging, push, spherical;
    real3 t, by_weight, angular;
} Embedded;
static inline Embedded embedded(Moments *m, __global const real *own) {
    Embedded e;
    const real per_rho = 1 / m->rho0;
    e.averaging = PAIR_NUMBER(own, 16);
    e.t = T_OF(own, 13);
    if (e.averaging == 0) e.t = m->weights * per_rho;
    if (e.averaging == 1) e.t = m->squares > 0 ? m->weights / m->squares : (real3)(0);
    // All over rho0 from here on.
    m->dipole *= per_rho, m->vector *= per_rho, m->trace *= per_rho, m->quadrupole *= per_rho, m->corners *= per_rho;
    m->cubes *= per_rho, m->next *= per_rho, m->before *= per_rho, m->all *= per_rho;
    const real3 partial = (real3)(dot(m->dipole, m->dipole),
                                  dot(m->quadrupole, m->quadrupole) + 2 * dot(m->corners, m->corners) - m->trace * m->trace / 3,
                                  dot(m->cubes, m->cubes) + 3 * (dot(m->next, m->next) + dot(m->before, m->before)) + 6 * m->all * m->all -
                                      NUMBER(0.6) * dot(m->vector, m->vector));
    const real gamma = dot(e.t, partial);
    const real2 g = gamma_function(gamma, PAIR_NUMBER(own, 19), PAIR_NUMBER(own, 20));
    const real3 shape = T_OF(own, 23);
    real reference = PAIR_NUMBER(own, 21);
    e.by_weight = g.y * partial;
    if (PAIR_NUMBER(own, 17) != 0) {
        const real2 h = gamma_function(dot(e.t, shape), PAIR_NUMBER(own, 19), PAIR_NUMBER(own, 20));
        e.by_weight -= g.x * h.y / h.x * shape;
        reference *= h.x;
    }
    const real density = m->rho0 * g.x / reference, scale = PAIR_NUMBER(own, 22);
    e.energy = e.push = 0;
    if (density > 0) {
        const real logarithm = log(density);
        e.energy = scale * density * logarithm;
        e.push = scale * (logarithm + 1) / reference;
    } else if (PAIR_NUMBER(own, 18) != 0) {
        e.energy = -scale * density;
        e.push = -scale / reference;
    }
    e.spherical = g.x - 2 * gamma * g.y;
    e.angular = 2 * e.push * g.y * e.t;
    return e;
}

// What a bond of length r along u, of which others leave a part, does: the slope by the way to the neighbour, and the energy that it would
// have over that part.
typedef struct {
    Vector slope;
    number whole;
} Pushed;
static inline Pushed push_bond(number r, Vector u, number left, Bond bond, Row c, const Moments *m, const Embedded *e) {
    const number s = left * bond.taper.value;
    number turned = 0;
#define TURNED(l, x) \
    if (e->averaging == 0) turned += (OF(c, 10 + l) - e->t.x) * e->by_weight.x; \
    if (e->averaging == 1 && m->squares.x > 0) \
        turned += (OF(c, 10 + l) - e->t.x * OF(c, 10 + l) * OF(c, 10 + l)) * (m->rho0 / m->squares.x * e->by_weight.x);
    TURNED(0, x) TURNED(1, y) TURNED(2, z)
    // The moments along the way.
    const Vector bent = {m->quadrupole.x * u.x + m->corners.z * u.y + m->corners.y * u.z,
                         m->corners.z * u.x + m->quadrupole.y * u.y + m->corners.x * u.z,
                         m->corners.y * u.x + m->corners.x * u.y + m->quadrupole.z * u.z};
    const Vector v = {u.x * u.x, u.y * u.y, u.z * u.z}, w = {2 * u.y * u.z, 2 * u.z * u.x, 2 * u.x * u.y};
    const Vector twice = {
        m->cubes.x * v.x + m->before.y * v.y + m->next.z * v.z + m->all * w.x + m->before.x * w.y + m->next.x * w.z,
        m->next.x * v.x + m->cubes.y * v.y + m->before.z * v.z + m->next.y * w.x + m->all * w.y + m->before.y * w.z,
        m->before.x * v.x + m->next.y * v.y + m->cubes.z * v.z + m->before.z * w.x + m->next.z * w.y + m->all * w.z};
#define ALONG(a) ((a).x * u.x + (a).y * u.y + (a).z * u.z)
    const number first = bond.rho[1] * e->angular.x, second = bond.rho[2] * e->angular.y, third = bond.rho[3] * e->angular.z;
    const number ends = NUMBER(0.6) * ALONG(m->vector), dipole = ALONG(m->dipole), quadrupole = ALONG(bent), octupole = ALONG(twice);
    const number by_0 = e->push * (e->spherical + turned) * bond.rho[0], by_1 = first * dipole;
    const number by_2 = second * (quadrupole - m->trace / 3), by_3 = third * (octupole - ends);
    const number by_left = by_0 + by_1 + by_2 + by_3 + bond.phi.value / 2;
    const number falls = by_0 * OF(c, 6) + by_1 * OF(c, 7) + by_2 * OF(c, 8) + by_3 * OF(c, 9);
    const number across = s / r, swung = first * dipole + 2 * second * quadrupole + third * (3 * octupole - ends);
    const number along = s * (bond.phi.slope / 2 - OF(c, 5) * falls) - left * bond.taper.slope * OF(c, 1) * by_left - across * swung;
#define ACROSS(x) (along * u.x + across * (first * m->dipole.x + 2 * second * bent.x + third * (3 * twice.x - NUMBER(0.6) * m->vector.x)))
    const Pushed pushed = {{ACROSS(x), ACROSS(y), ACROSS(z)}, s * by_left};
    return pushed;
}

#if WIDE
ALWAYS_INLINE void find_ways(Ways *ways, uint n, uint kind, Around a) {
    for (uint k = 0; k < n; k++) {
        const real4 u = LEG(k);
        ways->x[k] = u.w * u.x, ways->y[k] = u.w * u.y, ways->z[k] = u.w * u.z, ways->square[k] = u.w * u.w;
#if TYPES > 1
        ways->kinds[k] = KIND(k);
#endif
    }
    for (uint k = n; k < (n + VW - 1) / VW * VW; k++) {
        ways->x[k] = ways->y[k] = ways->z[k] = 0, ways->square[k] = NUMBER(1e9);
#if TYPES > 1
        ways->kinds[k] = 1;
#endif
    }
    for (uint k = 0; k < n; k += VW) {
        STOREV((number)(0), ways->by_x + k);
        STOREV((number)(0), ways->by_y + k);
        STOREV((number)(0), ways->by_z + k);
    }
    uint count = 0;
    for (uint j = 0; j < n; j++) {
        if (LEG(j).w >= PAIR_NUMBER(NUMBERS_OF(j), 0)) continue;
        const real left = left_of(n, kind, j, a WAYS_PASSED);
        if (left == 0) continue;
        leave(ways, count, j, left, a);
        count++;
    }
    ways->count = count;
    for (; count % VW != 0; count++) leave(ways, count, 0, 0, a);
}
ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    Ways room, *const ways = &room;
    Bond bonds[PADDED(SLOTS) / VW];
    __global const real *own = PAIR_NUMBERS(kind, kind);
    find_ways(ways, n, kind, a);
    Moments m = {0};
    real energy = 0;
    for (uint b = 0; b < ways->count; b += VW) {
        const Bond bond = bonds[b / VW] = bond_of(LOADV(ways->r + b), PAIR_ROW(b), PAIR_NUMBER(own, 16), a.samples);
        const number s = LOADV(ways->left + b) * bond.taper.value, phi = s * bond.phi.value;
        energy += TOGETHER(phi, +) / 2;
        real rho[4][VW];
SHORT_LOOP
        for (uint l = 0; l < 4; l++) STOREV(s * bond.rho[l], rho[l]);
        for (uint t = 0; t < min((uint)VW, ways->count - b); t++) {
            const uint j = ways->at[b + t];
            add_moments(&m, (real4)(rho[0][t], rho[1][t], rho[2][t], rho[3][t]), LEG(j).xyz, T_OF(NUMBERS_OF(j), 10));
        }
    }
    if (m.rho0 > 0) {
        const Embedded e = embedded(&m, own);
        energy += e.energy;
        for (uint b = 0; b < ways->count; b += VW) {
            const number r = LOADV(ways->r + b);
            const Vector u = {LOADV(ways->ux + b), LOADV(ways->uy + b), LOADV(ways->uz + b)};
            const Pushed pushed = push_bond(r, u, LOADV(ways->left + b), bonds[b / VW], PAIR_ROW(b), &m, &e);
            real p[3][VW], whole[VW];
            STOREV(pushed.slope.x, p[0]);
            STOREV(pushed.slope.y, p[1]);
            STOREV(pushed.slope.z, p[2]);
            STOREV(pushed.whole, whole);
            for (uint t = 0; t < min((uint)VW, ways->count - b); t++) {
                const uint j = ways->at[b + t];
                real3 slope = (real3)(p[0][t], p[1][t], p[2][t]);
                LEG_VIRIAL(j, slope)
                if (ways->left[b + t] != 1) slope += push_screens(n, kind, j, whole[t], a WAYS_PASSED);
                ways->by_x[j] += slope.x, ways->by_y[j] += slope.y, ways->by_z[j] += slope.z;
            }
        }
    }
    for (uint k = 0; k < n; k++) SLOT(k) = (real4)(ways->by_x[k], ways->by_y[k], ways->by_z[k], 0);
    return energy;
}
#else
ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    __global const real *own = PAIR_NUMBERS(kind, kind);
    Moments m = {0};
    real energy = 0;
    for (uint j = 0; j < n; j++) {
        SLOT(j) = 0;
        const real4 leg = LEG(j);
        __global const real *c = NUMBERS_OF(j);
        const real left = leg.w < c[0] ? left_of(n, kind, j, a) : 0;
        LEFT(j) = left;
        if (left == 0) continue;
        const Bond bond = bond_of(leg.w, c, PAIR_NUMBER(own, 16), a.samples);
        const real s = left * bond.taper.value;
        energy += s * bond.phi.value / 2;
        add_moments(&m, s * (real4)(bond.rho[0], bond.rho[1], bond.rho[2], bond.rho[3]), leg.xyz, T_OF(c, 10));
    }
    if (m.rho0 <= 0) return energy;
    const Embedded e = embedded(&m, own);
    for (uint j = 0; j < n; j++) {
        const real left = LEFT(j);
        if (left == 0) continue;
        const real4 leg = LEG(j);
        __global const real *c = NUMBERS_OF(j);
        const Bond bond = bond_of(leg.w, c, PAIR_NUMBER(own, 16), a.samples);
        const Pushed pushed = push_bond(leg.w, (Vector){leg.x, leg.y, leg.z}, left, bond, c, &m, &e);
        real3 slope = (real3)(pushed.slope.x, pushed.slope.y, pushed.slope.z);
        LEG_VIRIAL(j, slope)
        if (left != 1) slope += push_screens(n, kind, j, pushed.whole, a);
        SLOT(j) += (real4)(slope, 0);
    }
    return energy + e.energy;
}
#endif
