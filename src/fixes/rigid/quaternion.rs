//! Orientations: quaternions (w x y z), axes of bodies, principal moments of inertia, and two ways to turn on by a step.

use crate::base::vector::{Vector, cross, dot};

pub(super) type Quaternion = [f64; 4];

/// The axes of a body in space, each of length 1, right-handed.
pub(super) type Axes = [Vector; 3];

/// A principal moment below this part of the largest counts as 0, the body as a line.
const LEAST_MOMENT: f64 = 1e-7;

/// Rotations that certainly make a tensor diagonal; some ten are needed.
const MOST_ROTATIONS: usize = 150;

/// a + s b.
pub(super) fn plus(a: Vector, s: f64, b: Vector) -> Vector {
    std::array::from_fn(|d| a[d] + s * b[d])
}

/// A vector given along the axes, in space.
pub(super) fn to_space(axes: &Axes, v: Vector) -> Vector {
    std::array::from_fn(|d| axes[0][d] * v[0] + axes[1][d] * v[1] + axes[2][d] * v[2])
}

/// A vector given in space, along the axes.
pub(super) fn to_body(axes: &Axes, v: Vector) -> Vector {
    axes.map(|axis| dot(axis, v))
}

/// The axes of a body that is turned by a unit quaternion.
pub(super) fn axes([w, x, y, z]: Quaternion) -> Axes {
    [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z],
    ]
}

/// The unit quaternion of a body with these axes, by the largest of its components.
pub(super) fn quaternion([a, b, c]: &Axes) -> Quaternion {
    let ww = 0.25 * (a[0] + b[1] + c[2] + 1.0);
    let squares = [ww, ww - 0.5 * (b[1] + c[2]), ww - 0.5 * (a[0] + c[2]), ww - 0.5 * (a[0] + b[1])];
    // They make 1, so one is a quarter at least; rounding may leave the last one just below.
    let first = squares.iter().position(|&square| square >= 0.25).unwrap_or(3);
    let largest = squares[first].sqrt();
    let [wx, wy, wz] = [b[2] - c[1], c[0] - a[2], a[1] - b[0]];
    let [xy, xz, yz] = [b[0] + a[1], a[2] + c[0], c[1] + b[2]];
    let products = match first {
        0 => [0.0, wx, wy, wz],
        1 => [wx, 0.0, xy, xz],
        2 => [wy, xy, 0.0, yz],
        _ => [wz, xz, yz, 0.0],
    };
    let mut q = products.map(|product| product / (4.0 * largest));
    q[first] = largest;
    normalized(q)
}

fn normalized(q: Quaternion) -> Quaternion {
    let scale = 1.0 / q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x * scale)
}

/// The product of a vector, as a quaternion without real part, and a quaternion.
fn vector_times([a, b, c]: Vector, [w, x, y, z]: Quaternion) -> Quaternion {
    [-a * x - b * y - c * z, w * a + b * z - c * y, w * b + c * x - a * z, w * c + a * y - b * x]
}

/// The product of a quaternion and a vector.
pub(super) fn times_vector([w, x, y, z]: Quaternion, [a, b, c]: Vector) -> Quaternion {
    [-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a]
}

/// The vector whose product with the unit quaternion `q` ([`times_vector`]) is `p`.
pub(super) fn without([w, x, y, z]: Quaternion, p: Quaternion) -> Vector {
    [
        -x * p[0] + w * p[1] + z * p[2] - y * p[3],
        -y * p[0] - z * p[1] + w * p[2] + x * p[3],
        -z * p[0] + y * p[1] - x * p[2] + w * p[3],
    ]
}

/// Angular velocity in space of a body with an angular momentum in space; none about an axis without a moment.
pub(super) fn angular_velocity(axes: &Axes, moments: Vector, momentum: Vector) -> Vector {
    to_space(axes, over(to_body(axes, momentum), moments))
}

/// Component by component, 0 where there is no moment.
pub(super) fn over(v: Vector, moments: Vector) -> Vector {
    std::array::from_fn(|d| if moments[d] == 0.0 { 0.0 } else { v[d] / moments[d] })
}

/// Principal moments in rising order and their axes, of a symmetric tensor of inertia xx yy zz yz xz xy, by Jacobi's
/// rotations, the largest product first. In 2 dimensions (`flat`) z is the third axis. `None`: it holds no numbers.
pub(super) fn principal(tensor: [f64; 6], flat: bool) -> Option<(Vector, Axes)> {
    let [xx, yy, zz, yz, xz, xy] = tensor;
    let mut m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut axes: Axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut turns = 0;
    loop {
        let mut place = (0, 1);
        for other in [(0, 2), (1, 2)] {
            if m[other.0][other.1].abs() > m[place.0][place.1].abs() {
                place = other;
            }
        }
        let (i, j) = place;
        let product = m[i][j];
        if m[i][i] + product == m[i][i] && m[j][j] + product == m[j][j] {
            break;
        }
        turns += 1;
        if turns > MOST_ROTATIONS {
            return None;
        }
        let half = (m[j][j] - m[i][i]) / (2.0 * product);
        let tan = if half < 0.0 { -1.0 } else { 1.0 } / ((1.0 + half * half).sqrt() + half.abs());
        let cos = 1.0 / (1.0 + tan * tan).sqrt();
        let sin = cos * tan;
        let k = 3 - i - j;
        (m[i][i], m[j][j]) = (m[i][i] - tan * product, m[j][j] + tan * product);
        let [with_i, with_j] = [cos * m[k][i] - sin * m[k][j], sin * m[k][i] + cos * m[k][j]];
        (m[k][i], m[k][j]) = (with_i, with_j);
        (m[i][k], m[j][k]) = (with_i, with_j);
        (m[i][j], m[j][i]) = (0.0, 0.0);
        let (a, b) = (axes[i], axes[j]);
        axes[i] = std::array::from_fn(|d| cos * a[d] - sin * b[d]);
        axes[j] = std::array::from_fn(|d| sin * a[d] + cos * b[d]);
    }
    let mut moments = [m[0][0], m[1][1], m[2][2]];
    for place in 0..2 {
        let least = (place..3)
            .fold(place, |least, other| if moments[other] < moments[least] { other } else { least });
        moments.swap(place, least);
        axes.swap(place, least);
    }
    // The two of a line in the plane are equal, and may stand the wrong way round.
    if flat && (axes[2][0].abs() > LEAST_MOMENT || axes[2][1].abs() > LEAST_MOMENT) {
        moments.swap(1, 2);
        axes.swap(1, 2);
    }
    let most = moments.iter().copied().fold(0.0, f64::max);
    let moments = moments.map(|moment| if moment < LEAST_MOMENT * most { 0.0 } else { moment });
    if dot(cross(axes[0], axes[1]), axes[2]) < 0.0 {
        axes[2] = axes[2].map(|x| -x);
    }
    Some((moments, axes))
}

/// Turns on by a step with the angular momentum of its middle, and returns the angular velocity there: two half steps
/// against a whole one, of dq/dt = omega q / 2, extrapolated (Richardson) and normalized.
pub(super) fn richardson(q: &mut Quaternion, moments: Vector, momentum: Vector, dt: f64) -> Vector {
    let on =
        |q: Quaternion, rate: Quaternion, by: f64| normalized(std::array::from_fn(|k| q[k] + by * rate[k]));
    let rate = vector_times(angular_velocity(&axes(*q), moments, momentum), *q);
    let whole = on(*q, rate, 0.5 * dt);
    let half = on(*q, rate, 0.25 * dt);
    let omega = angular_velocity(&axes(half), moments, momentum);
    let half = on(half, vector_times(omega, half), 0.25 * dt);
    *q = normalized(std::array::from_fn(|k| 2.0 * half[k] - whole[k]));
    omega
}

/// Turns on by a step, freely: rotations about the body's axes 3 2 1 2 3, each exact, of the orientation and its conjugate
/// momentum. Source: T. F. Miller et al., J. Chem. Phys. 116, 8649 (2002).
pub(super) fn no_squish(q: &mut Quaternion, conjugate: &mut Quaternion, moments: Vector, dt: f64) {
    for (axis, dt) in [(2, 0.5 * dt), (1, 0.5 * dt), (0, dt), (1, 0.5 * dt), (2, 0.5 * dt)] {
        if moments[axis] == 0.0 {
            continue;
        }
        let mut unit = [0.0; 3];
        unit[axis] = 1.0;
        let (to_q, to_p) = (times_vector(*q, unit), times_vector(*conjugate, unit));
        let along: f64 = conjugate.iter().zip(&to_q).map(|(p, q)| p * q).sum();
        let (sin, cos) = (dt * along / (4.0 * moments[axis])).sin_cos();
        *q = std::array::from_fn(|k| cos * q[k] + sin * to_q[k]);
        *conjugate = std::array::from_fn(|k| cos * conjugate[k] + sin * to_p[k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tensor with known moments, turned.
    fn turned(moments: Vector, q: Quaternion) -> [f64; 6] {
        let a = axes(normalized(q));
        let part = |r: usize, c: usize| (0..3).map(|k| moments[k] * a[k][r] * a[k][c]).sum::<f64>();
        [part(0, 0), part(1, 1), part(2, 2), part(1, 2), part(0, 2), part(0, 1)]
    }

    #[test]
    fn principal_moments_come_back() {
        for moments in [[1.0, 2.0, 4.0], [2.0, 2.0, 3.0], [0.0, 5.0, 5.0], [3.0; 3]] {
            for q in
                [[1.0, 0.0, 0.0, 0.0], [1.0, 2.0, -3.0, 0.5], [0.0, 1.0, 1.0, 0.0], [0.1, 0.2, 0.3, -2.0]]
            {
                let (found, a) = principal(turned(moments, q), false).expect("numbers");
                (0..3).for_each(|k| assert!((found[k] - moments[k]).abs() < 1e-12, "{found:?} {moments:?}"));
                let handed = cross(a[0], a[1]);
                (0..3).for_each(|d| assert!((handed[d] - a[2][d]).abs() < 1e-12));
                // The axes of the quaternion of the axes are these.
                let again = axes(quaternion(&a));
                (0..9).for_each(|k| assert!((again[k / 3][k % 3] - a[k / 3][k % 3]).abs() < 1e-12));
            }
        }
    }

    #[test]
    fn z_is_the_third_axis_in_two_dimensions() {
        // A rod along x: nothing about x, the same about y and z.
        let (moments, a) = principal([0.0, 2.0, 2.0, 0.0, 0.0, 0.0], true).expect("numbers");
        assert_eq!((moments, a[2][2].abs()), ([0.0, 2.0, 2.0], 1.0));
    }

    /// Energy and the direction of the angular momentum in space over 20 turns of a free top. Symmetric: precession by
    /// L / I about L, from the closed form.
    #[test]
    fn a_free_top_precesses() {
        let (moments, momentum) = ([2.0, 2.0, 3.0], [0.3, 0.0, 1.0]);
        let steps = 20_000;
        let dt = 20.0 / f64::from(steps);
        let momentum_size = dot(momentum, momentum).sqrt();
        let begin = [1.0, 0.0, 0.0, 0.0];
        let (mut q, mut r) = (begin, begin);
        let mut conjugate = times_vector(begin, momentum).map(|x| 2.0 * x);
        for _ in 0..steps {
            richardson(&mut r, moments, momentum, dt);
            no_squish(&mut q, &mut conjugate, moments, dt);
        }
        // The figure axis, turned about L by |L| t / I1 (Rodrigues).
        let along = momentum.map(|x| x / momentum_size);
        let (sin, cos) = (momentum_size * 20.0 / moments[0]).sin_cos();
        let z = [0.0, 0.0, 1.0];
        let part = dot(along, z) * (1.0 - cos);
        let around = cross(along, z);
        let expected: Vector = std::array::from_fn(|d| z[d] * cos + around[d] * sin + along[d] * part);
        for (name, q) in [("richardson", r), ("no_squish", q)] {
            let figure = axes(q)[2];
            (0..3).for_each(|d| {
                assert!((figure[d] - expected[d]).abs() < 1e-5, "{name} {figure:?} {expected:?}");
            });
        }
        // The momentum in space, out of what is turned on.
        let back = to_space(&axes(q), without(q, conjugate).map(|x| 0.5 * x));
        (0..3).for_each(|d| assert!((back[d] - momentum[d]).abs() < 1e-11, "{back:?}"));
    }
}
