// adp, the last pass: eam (cl/pair/eam.cl comes before) and forces by dipoles mu and quadrupoles L. u and w are functions of r, d is the
// separation. mu is that of the atom minus the other's, and L the sum of both.
//   F = u mu - 2 w L d + [(u' mu.d - w' d.L d)/r + (w' r + 2 w) tr L/3] d
// An atom has made F', mu (x y z), L (xx yy zz xy xz yz), tr L.
// c[5] = where rows of u, then w begin in `samples`, in eights of numbers
#define VECTOR_FORCES

static inline void pair_vector(realv dx, realv dy, realv dz, realv rsq, const realv *c, __global const real *samples,
                               const realv *mine, const realv *theirs, realv *f) {
    const realv rinv = rsqrt(rsq), r = rsq * rinv, place = r * c[0];
    const realv row = fmin(floor(place), c[1]), p = fmin(place - row, (realv)(1));
    const uintv at = 2 * (convert_uintv(c[5]) + convert_uintv(row));
    const Four dipole = rows_of(samples, at), quadrupole = rows_of(samples, at + 1);
    const realv u = cubic_of(dipole, p), u_slope = slope_of(dipole, p) * c[0];
    const realv w = cubic_of(quadrupole, p), w_slope = slope_of(quadrupole, p) * c[0];
    const realv mx = mine[1] - theirs[1], my = mine[2] - theirs[2], mz = mine[3] - theirs[3];
    const realv xx = mine[4] + theirs[4], yy = mine[5] + theirs[5], zz = mine[6] + theirs[6];
    const realv xy = mine[7] + theirs[7], xz = mine[8] + theirs[8], yz = mine[9] + theirs[9];
    const realv lx = FMA(xx, dx, FMA(xy, dy, xz * dz));
    const realv ly = FMA(xy, dx, FMA(yy, dy, yz * dz));
    const realv lz = FMA(xz, dx, FMA(yz, dy, zz * dz));
    const realv along = FMA(mx, dx, FMA(my, dy, mz * dz)), across = FMA(lx, dx, FMA(ly, dy, lz * dz));
    const realv third = (mine[10] + theirs[10]) * NUMBER(0.33333333333333333);
    const realv radial = FMA(rinv, FMA(u_slope, along, -w_slope * across), third * FMA(w_slope, r, 2 * w));
    f[0] += FMA(u, mx, FMA(-2 * w, lx, radial * dx));
    f[1] += FMA(u, my, FMA(-2 * w, ly, radial * dy));
    f[2] += FMA(u, mz, FMA(-2 * w, lz, radial * dz));
}
