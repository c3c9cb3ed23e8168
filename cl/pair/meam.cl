// meam: the energy at an atom is F(rho) + sum over neighbours of S phi(r)/2. S is what others leave of a pair, with the fall to zero at the cutoff.
// rho is made of the densities S rho_l of the neighbours, l = 0 to 3, and of the sums of these times their unit vectors.
// Numbers of a triplet: 0 Cmin. 1 Cmax. 2 1/(Cmax - Cmin).
// Numbers of a pair:
//   Of both: 0 cutoff. 1 1/length before it. 2 rows of phi per distance. 3 the last row.
//   Of the neighbour: 4 rho0. 5 1/re. 6 to 9 beta. 10 to 12 t.
//   Of the atom: 13 to 15 t. 16 how t is averaged. 17 whether the reference density has these averages. 18 whether F goes on as a line below 0.
//   19 ibar. 20 gsmooth_factor. 21 the reference density. 22 A Ec. 23 to 25 shape.
//   Of both: 26 the largest Cmax. 27 where the rows of phi begin in `samples`, in eights of numbers.
#define LEFT(k) SCRATCHED(k, 0) // what others leave of the pair with a neighbour
#define NUMBERS_OF(j) PAIR_NUMBERS(kind, KIND(j))

// (1 - (1 - x)^4)^2 from 0 to 1, and its slope.
static inline real2 smooth_step(real x) {
    const real rest = 1 - fmin(fmax(x, (real)(0)), (real)(1)), whole = 1 - rest * rest * rest * rest;
    return (real2)(whole * whole, 8 * whole * rest * rest * rest);
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

// An atom k beside the pair i, j: squared distances over that of i and j, and C, which counts below Cmax.
typedef struct {
    real3 between; // the way from k to j
    real x, y, a;  // of i and k, of j and k; 1 - (x - y)^2
    real c;
} Beside;
#define MAY_SCREEN(x, y, a, most) ((a) > 0 & 2 * ((x) + (y)) + (a) - 2 < (most) * (a))
static inline Beside beside(real4 u, real4 v, real most) {
    Beside b;
    const real3 way = u.w * u.xyz, other = v.w * v.xyz;
    const real inverse = 1 / (u.w * u.w);
    b.between = way - other;
    b.x = v.w * v.w * inverse;
    b.y = dot(b.between, b.between) * inverse;
    b.a = 1 - (b.x - b.y) * (b.x - b.y);
    b.c = MAY_SCREEN(b.x, b.y, b.a, most) ? (2 * (b.x + b.y) + b.a - 2) / b.a : most;
    return b;
}

// All k that may screen the pair i, j, in their order. On CPUs, whose atoms share lists, VW are looked at together.
#if CLUSTER > 1
typedef struct {
    real x[SLOTS + VW], y[SLOTS + VW], z[SLOTS + VW], square[SLOTS + VW];
    uint screens[SLOTS + VW];
} Ways;
ALWAYS_INLINE void find_ways(Ways *ways, uint n, Around a) {
    for (uint k = 0; k < n; k++) {
        const real4 u = LEG(k);
        ways->x[k] = u.w * u.x, ways->y[k] = u.w * u.y, ways->z[k] = u.w * u.z, ways->square[k] = u.w * u.w;
    }
    for (uint k = n; k < n + VW; k++) ways->x[k] = ways->y[k] = ways->z[k] = 0, ways->square[k] = NUMBER(1e9);
}
static inline uint find_screens(Ways *ways, uint n, uint j, real most) {
    uint found = 0;
    const realv inverse = 1 / ways->square[j];
    for (uint k = 0; k < n; k += VW) {
        const realv dx = ways->x[j] - LOADV(ways->x + k), dy = ways->y[j] - LOADV(ways->y + k), dz = ways->z[j] - LOADV(ways->z + k);
        const realv x = LOADV(ways->square + k) * inverse, y = FMA(dz, dz, FMA(dy, dy, dx * dx)) * inverse;
        const realv a = 1 - (x - y) * (x - y);
        const maskv screens = MAY_SCREEN(x, y, a, (realv)(most));
        if (!any(screens)) continue;
        uint hits[VW];
        STOREV(convert_uintv(screens) & 1, hits);
        for (uint m = 0; m < VW; m++) {
            ways->screens[found] = k + m;
            found += hits[m] & (k + m != j);
        }
    }
    return found;
}
#define WAYS(n) \
    Ways ways; \
    find_ways(&ways, n, a);
#define WAYS_PARAMETER , Ways *ways
#define WAYS_PASSED , &ways
#define EACH_SCREEN(ways, n, j, most) \
    const uint found_ = find_screens(ways, n, j, most); \
    for (uint s_ = 0; s_ < found_; s_++) { \
        const uint k = (ways)->screens[s_];
#else
#define WAYS(n)
#define WAYS_PARAMETER
#define WAYS_PASSED
#define EACH_SCREEN(ways, n, j, most) \
    for (uint k = 0; k < n; k++) { \
        if (k == j) continue;
#endif

// What all others leave of the pair with a neighbour.
ALWAYS_INLINE real left_of(uint n, uint kind, uint j, Around a WAYS_PARAMETER) {
    const real4 u = LEG(j);
    __global const real *c = NUMBERS_OF(j);
    if (u.w >= c[0]) return 0;
    real left = 1;
    EACH_SCREEN(ways, n, j, c[26])
        const Entry e = TRIPLET(kind, KIND(j), KIND(k));
        left *= smooth_step((beside(u, LEG(k), NUMBER_OF(e, 1)).c - NUMBER_OF(e, 0)) * NUMBER_OF(e, 2)).x;
        if (left == 0) break;
    }
    return left;
}

// Densities 0 to 3 of a neighbour, of which those that depend on angles have its weights where these are averaged so.
static inline real4 densities(real r, __global const real *c) {
    real4 rho = c[4] * exp((1 - r * c[5]) * (real4)(c[6], c[7], c[8], c[9]));
    if (c[16] == 1) rho.yzw *= (real3)(c[10], c[11], c[12]);
    return rho;
}

// phi and its slope.
static inline real2 pair_energy(real r, __global const real *c, __global const real *samples) {
    const real place = r * c[2], row = fmin(floor(place), c[3]), p = fmin(place - row, (real)(1));
    const real4 f = ((__global const real4 *)samples)[2 * (uint)c[27] + (uint)row];
    return (real2)(FMA(FMA(FMA(f.x, p, f.y), p, f.z), p, f.w), FMA(FMA(3 * f.x, p, 2 * f.y), p, f.z) * c[2]);
}

#define T_OF(c, at) ((real3)((c)[at], (c)[(at) + 1], (c)[(at) + 2]))

ALWAYS_INLINE real around_atom(uint n, uint kind, Around a) {
    real energy = 0, rho0 = 0, trace = 0;
    real3 weights = 0, squares = 0, dipole = 0, vector = 0;
    real3 quadrupole = 0, corners = 0;          // xx yy zz, yz xz xy
    real3 cubes = 0, next = 0, before = 0;      // xxx yyy zzz, xxy yyz zzx, xxz yyx zzy
    real all = 0;                               // xyz
    WAYS(n)
    for (uint j = 0; j < n; j++) {
        SLOT(j) = 0;
        const real left = left_of(n, kind, j, a WAYS_PASSED);
        LEFT(j) = left;
        if (left == 0) continue;
        const real4 u = LEG(j);
        __global const real *c = NUMBERS_OF(j);
        const real s = left * smooth_step((c[0] - u.w) * c[1]).x;
        const real4 rho = s * densities(u.w, c);
        const real3 t = T_OF(c, 10), v = u.xyz, turned = v.yzx;
        energy += s * pair_energy(u.w, c, a.samples).x / 2;
        rho0 += rho.x;
        trace += rho.z;
        weights += rho.x * t;
        squares += rho.x * t * t;
        dipole += rho.y * v;
        vector += rho.w * v;
        quadrupole += rho.z * v * v;
        corners += rho.z * turned * v.zxy;
        cubes += rho.w * v * v * v;
        next += rho.w * v * v * turned;
        before += rho.w * v * v * v.zxy;
        all += rho.w * v.x * v.y * v.z;
    }
    if (rho0 <= 0) return energy;
    __global const real *own = PAIR_NUMBERS(kind, kind);
    const real averaging = own[16], per_rho = 1 / rho0;
    real3 t = T_OF(own, 13);
    if (averaging == 0) t = weights * per_rho;
    if (averaging == 1) t = squares > 0 ? weights / squares : (real3)(0);
    // All over rho0 from here on.
    dipole *= per_rho, vector *= per_rho, trace *= per_rho, quadrupole *= per_rho, corners *= per_rho;
    cubes *= per_rho, next *= per_rho, before *= per_rho, all *= per_rho;
    const real3 partial = (real3)(dot(dipole, dipole), dot(quadrupole, quadrupole) + 2 * dot(corners, corners) - trace * trace / 3,
                                  dot(cubes, cubes) + 3 * (dot(next, next) + dot(before, before)) + 6 * all * all -
                                      NUMBER(0.6) * dot(vector, vector));
    const real gamma = dot(t, partial);
    const real2 g = gamma_function(gamma, own[19], own[20]);
    const real3 shape = T_OF(own, 23);
    real reference = own[21];
    real3 by_weight = g.y * partial;
    if (own[17] != 0) {
        const real2 h = gamma_function(dot(t, shape), own[19], own[20]);
        by_weight -= g.x * h.y / h.x * shape;
        reference *= h.x;
    }
    const real density = rho0 * g.x / reference, scale = own[22];
    real push = 0; // F' over the reference density
    if (density > 0) {
        const real logarithm = log(density);
        energy += scale * density * logarithm;
        push = scale * (logarithm + 1) / reference;
    } else if (own[18] != 0) {
        energy -= scale * density;
        push = -scale / reference;
    }
    const real3 angular = 2 * push * g.y * t;
    for (uint j = 0; j < n; j++) {
        const real left = LEFT(j);
        if (left == 0) continue;
        const real4 leg = LEG(j);
        const real3 u = leg.xyz;
        __global const real *c = NUMBERS_OF(j);
        const real2 taper = smooth_step((c[0] - leg.w) * c[1]), phi = pair_energy(leg.w, c, a.samples);
        const real s = left * taper.x;
        const real4 rho = densities(leg.w, c);
        const real3 theirs = T_OF(c, 10);
        real3 turned = 0;
        if (averaging == 0) turned = theirs - t;
        if (averaging == 1) turned = squares > 0 ? (theirs - t * theirs * theirs) * rho0 / squares : (real3)(0);
        // The moments along the way.
        const real3 bent = quadrupole * u + (real3)(dot(corners.zy, u.yz), dot(corners.zx, u.xz), dot(corners.yx, u.xy));
        const real3 v = u * u, w = u.yzx * u.zxy; // xx yy zz, yz xz xy
        const real3 twice = (real3)(cubes.x * v.x + before.y * v.y + next.z * v.z + 2 * (all * w.x + before.x * w.y + next.x * w.z),
                                    next.x * v.x + cubes.y * v.y + before.z * v.z + 2 * (next.y * w.x + all * w.y + before.y * w.z),
                                    before.x * v.x + next.y * v.y + cubes.z * v.z + 2 * (before.z * w.x + next.z * w.y + all * w.z));
        const real4 by_rho = (real4)(push * (g.x - 2 * gamma * g.y + dot(turned, by_weight)),
                                     angular * (real3)(dot(dipole, u), dot(bent, u) - trace / 3, dot(twice, u) - NUMBER(0.6) * dot(vector, u)));
        const real by_left = dot(by_rho, rho) + phi.x / 2;
        const real along = s * (-c[5] * dot(by_rho, rho * (real4)(c[6], c[7], c[8], c[9])) + phi.y / 2) - left * taper.y * c[1] * by_left;
        const real3 turn = angular.x * rho.y * dipole + angular.y * rho.z * 2 * bent + angular.z * rho.w * (3 * twice - NUMBER(0.6) * vector);
        real3 p = along * u + s / leg.w * (turn - dot(turn, u) * u);
        LEG_VIRIAL(j, p)
        const real whole = s * by_left;
        if (left == 1) {
            SLOT(j) += (real4)(p, 0);
            continue;
        }
        EACH_SCREEN(&ways, n, j, c[26])
            const Entry e = TRIPLET(kind, KIND(j), KIND(k));
            const Beside b = beside(leg, LEG(k), NUMBER_OF(e, 1));
            const real2 part = smooth_step((b.c - NUMBER_OF(e, 0)) * NUMBER_OF(e, 2));
            if (b.c >= NUMBER_OF(e, 1) || part.y == 0) continue;
            const real by_c = whole * part.y * NUMBER_OF(e, 2) / part.x, lean = (b.c - 1) * (b.x - b.y);
            const real factor = 4 * by_c / (b.a * leg.w * leg.w);
            const real by_x = factor * (1 + lean), by_y = factor * (1 - lean);
            const real4 other = LEG(k);
            const real3 shrink = -(b.x * by_x + b.y * by_y) * leg.w * u, pull = by_y * b.between;
            const real3 q = by_x * other.w * other.xyz - pull;
            p += shrink + pull;
            SLOT(k) += (real4)(q, 0);
            LEG_VIRIAL(j, shrink)
            TRIPLET_VIRIAL(j, k, pull, q)
        }
        SLOT(j) += (real4)(p, 0);
    }
    return energy;
}
