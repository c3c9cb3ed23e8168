//! What fixes do to the force on one atom (cl/fix/): plain formulas of the LAMMPS manual's pages of the same names.

use crate::base::vector::{Vector, dot};

use crate::script::lepton::{Expression, evaluate};

fn scaled(by: f64, a: Vector) -> Vector {
    a.map(|x| by * x)
}

fn sum(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|d| a[d] + b[d])
}

/// `setforce`: components that are given replace those of the force.
pub fn setforce(f: Vector, to: [Option<f64>; 3]) -> Vector {
    std::array::from_fn(|d| to[d].unwrap_or(f[d]))
}

/// `addforce` at the unwrapped position `x`: the new force and the energy.
pub fn addforce(f: Vector, x: Vector, push: Vector) -> (Vector, f64) {
    (sum(f, push), -dot(push, x))
}

/// `gravity` with an acceleration: the new force and the energy.
pub fn gravity(f: Vector, x: Vector, mass: f64, pull: Vector) -> (Vector, f64) {
    addforce(f, x, scaled(mass, pull))
}

/// `viscous` with force per velocity.
pub fn viscous(f: Vector, v: Vector, gamma: f64) -> Vector {
    sum(f, scaled(-gamma, v))
}

/// `langevin gjf` before positions move, around the `kick` dt f / 2 m of fix nve that follows: the velocity without that
/// kick. `c` is dt / (2 damp), `noise` that of the step as a kick.
pub fn gjf_initial(v: Vector, kick: Vector, noise: Vector, c: f64) -> Vector {
    sum(scaled(1.0 / (1.0 + c), sum(sum(v, kick), noise)), scaled(-1.0, kick))
}

/// The same after the forces: the on-site velocity without the kick of fix nve, from that with which positions moved.
pub fn gjf_final(u: Vector, noise: Vector, c: f64) -> Vector {
    sum(scaled(1.0 - c, u), noise)
}

/// `drag` with the separation from its point: the new force.
pub fn drag(f: Vector, d: Vector, strength: f64, distance: f64) -> Vector {
    let r = dot(d, d).sqrt();
    if r > distance { sum(f, scaled(-strength / r, d)) } else { f }
}

/// `lineforce` along a unit vector.
pub fn lineforce(f: Vector, line: Vector) -> Vector {
    scaled(dot(f, line), line)
}

/// `planeforce` with the plane's unit normal.
pub fn planeforce(f: Vector, normal: Vector) -> Vector {
    sum(f, scaled(-dot(f, normal), normal))
}

/// `indent` by a sphere or a cylinder, with the separation from its centre or axis: the new force and the energy.
pub fn indent(f: Vector, d: Vector, k: f64, radius: f64, inward: bool) -> (Vector, f64) {
    let r = dot(d, d).sqrt();
    let depth = if inward { r - radius } else { radius - r };
    if depth <= 0.0 {
        return (f, 0.0);
    }
    let push = if inward { -k } else { k } * depth * depth;
    (sum(f, scaled(push / r, d)), k / 3.0 * depth.powi(3))
}

/// `indent` by a cone along an axis, with the separation from its middle, the radii at its ends and half its length: the new
/// force, away from or towards the middle, and the energy.
pub fn indent_cone(
    f: Vector,
    d: Vector,
    k: f64,
    axis: usize,
    [first, last, half]: [f64; 3],
    inward: bool,
) -> (Vector, f64) {
    let (along, r) = (d[axis], d[(axis + 1) % 3].hypot(d[(axis + 2) % 3]));
    let radius = first + (along + half) / (2.0 * half) * (last - first);
    let inside = along.abs() <= half && r <= radius;
    if inside == inward {
        return (f, 0.0);
    }
    // The distance in the half section from a line between two points, each (distance from the axis, along it).
    let distance = |[ar, az]: [f64; 2], [br, bz]: [f64; 2]| {
        let (dr, dz) = (br - ar, bz - az);
        let part = (((r - ar) * dr + (along - az) * dz) / (dr * dr + dz * dz)).clamp(0.0, 1.0);
        (r - ar - part * dr).hypot(along - az - part * dz)
    };
    let [low, high] = [[first, -half], [last, half]];
    let ends = match inside {
        true => half - along.abs(),
        false => distance(low, [0.0, -half]).min(distance(high, [0.0, half])),
    };
    let depth = distance(low, high).min(ends);
    let push = if inward { -k } else { k } * depth * depth / dot(d, d).sqrt();
    (sum(f, scaled(push, d)), k / 3.0 * depth.powi(3))
}

/// `wall/lj93`: energy at the distance r, and force away from the wall; both 0 from the cutoff on.
pub fn wall_lj93(r: f64, epsilon: f64, sigma: f64, cutoff: f64) -> (f64, f64) {
    let energy = |r: f64| epsilon * (2.0 / 15.0 * (sigma / r).powi(9) - (sigma / r).powi(3));
    let force = epsilon * (1.2 * (sigma / r).powi(9) - 3.0 * (sigma / r).powi(3)) / r;
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}

/// `wall/region` inside of a sphere or a cylinder, and on both sides of a pipe far from its open ends, with the way `d` from
/// the centre or axis: the new force and the energy of a potential that gives energy and force at a distance.
pub fn wall_around(
    f: Vector,
    d: Vector,
    radius: f64,
    potential: impl Fn(f64) -> (f64, f64),
) -> (Vector, f64) {
    let r = dot(d, d).sqrt();
    let (energy, push) = potential((radius - r).abs());
    (sum(f, scaled(push * (r - radius).signum() / r, d)), energy)
}

/// `wall/region` inside of a cone along x far from its ends, with the way `d` from its axis, the radius there and what the
/// radius gains along x.
pub fn wall_in_cone(
    f: Vector,
    [_, y, z]: Vector,
    radius: f64,
    slope: f64,
    potential: impl Fn(f64) -> (f64, f64),
) -> (Vector, f64) {
    let (r, slant) = (y.hypot(z), 1.0_f64.hypot(slope));
    let (energy, push) = potential((radius - r) / slant);
    (sum(f, scaled(push / slant, [slope, -y / r, -z / r])), energy)
}

/// `wall/region` outside of a union of spheres, each a centre and a radius: nothing inside, and of a sphere's surface only
/// what is in no other.
pub fn wall_of_spheres(
    f: Vector,
    x: Vector,
    spheres: &[(Vector, f64)],
    potential: impl Fn(f64) -> (f64, f64),
) -> (Vector, f64) {
    let way = |from: Vector, x: Vector| sum(x, scaled(-1.0, from));
    let inside = |x: Vector, (centre, radius): (Vector, f64)| {
        let d = way(centre, x);
        dot(d, d).sqrt() <= radius
    };
    let mut total = (f, 0.0);
    if spheres.iter().any(|&sphere| inside(x, sphere)) {
        return total;
    }
    for (k, &(centre, radius)) in spheres.iter().enumerate() {
        let d = way(centre, x);
        let r = dot(d, d).sqrt();
        let nearest = sum(centre, scaled(radius / r, d));
        if spheres.iter().enumerate().all(|(other, &sphere)| other == k || !inside(nearest, sphere)) {
            let (energy, push) = potential(r - radius);
            total = (sum(total.0, scaled(push / r, d)), total.1 + energy);
        }
    }
    total
}

/// `wall/lj126`.
pub fn wall_lj126(r: f64, epsilon: f64, sigma: f64, cutoff: f64) -> (f64, f64) {
    let energy = |r: f64| 4.0 * epsilon * ((sigma / r).powi(12) - (sigma / r).powi(6));
    let force = 24.0 * epsilon * (2.0 * (sigma / r).powi(12) - (sigma / r).powi(6)) / r;
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}

/// `wall/lj1043`.
pub fn wall_lj1043(r: f64, epsilon: f64, sigma: f64, cutoff: f64) -> (f64, f64) {
    let (unit, shift) = (2.0 * std::f64::consts::PI * epsilon, 0.61 / 2f64.sqrt() * sigma);
    let last = |r: f64| 2f64.sqrt() / 3.0 * (sigma / (r + shift)).powi(3);
    let energy = |r: f64| unit * (0.4 * (sigma / r).powi(10) - (sigma / r).powi(4) - last(r));
    let slope = 4.0 * (sigma / r).powi(10) - 4.0 * (sigma / r).powi(4);
    let force = unit * (slope / r - 3.0 * last(r) / (r + shift));
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}

/// `wall/harmonic`.
pub fn wall_harmonic(r: f64, k: f64, _: f64, cutoff: f64) -> (f64, f64) {
    let short = (cutoff - r).max(0.0);
    (k * short * short, 2.0 * k * short)
}

/// `wall/colloid` on a sphere of this radius, whose middle is so far off.
pub fn wall_colloid(r: f64, radius: f64, epsilon: f64, sigma: f64, cutoff: f64) -> (f64, f64) {
    let repulsion =
        |r: f64| (7.0 * radius - r) / (r - radius).powi(7) + (r + 7.0 * radius) / (r + radius).powi(7);
    let attraction = |r: f64| {
        let gap = r - radius;
        let across = gap + 2.0 * radius;
        (2.0 * radius * r + gap * across * (gap.ln() - across.ln())) / (gap * across)
    };
    let energy = |r: f64| epsilon * (sigma.powi(6) / 7560.0 * repulsion(r) - attraction(r) / 6.0);
    let steep = (8.0 * radius - r) / (r - radius).powi(8) + (8.0 * radius + r) / (r + radius).powi(8);
    let pull = radius.powi(3) / (r * r - radius * radius).powi(2);
    let force = epsilon * (sigma.powi(6) / 1260.0 * steep - 2.0 / 3.0 * pull);
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}

/// A wall with a potential of the distance, at the end of each of these ways to an atom.
pub fn wall_behind(f: Vector, ways: &[Vector], potential: impl Fn(f64) -> (f64, f64)) -> (Vector, f64) {
    ways.iter().fold((f, 0.0), |(f, sum), way| {
        let r = way.iter().map(|d| d * d).sum::<f64>().sqrt();
        let (energy, push) = potential(r);
        (std::array::from_fn(|d| f[d] + push * way[d] / r), sum + energy)
    })
}

/// The way from the nearest point of an ellipsoid's surface to a point so far off its middle, by bisection of what the point has to fulfil.
pub fn way_from_ellipsoid(off: Vector, radii: Vector) -> Vector {
    let least = radii.into_iter().fold(f64::INFINITY, f64::min);
    let beyond =
        |t: f64| (0..3).map(|d| (radii[d] * off[d] / (radii[d].powi(2) + t)).powi(2)).sum::<f64>() > 1.0;
    let (mut low, mut high) = (-least * least, 1e6);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        *if beyond(middle) { &mut low } else { &mut high } = middle;
    }
    std::array::from_fn(|d| off[d] - radii[d].powi(2) * off[d] / (radii[d].powi(2) + high))
}

/// `wall/morse` with the depth, 1 / width and place of the well.
pub fn wall_morse(r: f64, depth: f64, alpha: f64, place: f64, cutoff: f64) -> (f64, f64) {
    let decay = |r: f64| (-alpha * (r - place)).exp();
    let energy = |r: f64| depth * (decay(r).powi(2) - 2.0 * decay(r));
    let force = 2.0 * depth * alpha * (decay(r).powi(2) - decay(r));
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}

/// `wall/lepton` with an expression that has no variables.
///
/// # Panics
/// When the expression is wrong.
pub fn wall_lepton(expression: &str, r: f64, cutoff: f64) -> (f64, f64) {
    let expression = Expression::parse(expression).expect("an expression");
    let program = expression.program(cutoff, |_| Ok(f64::NAN)).expect("no variables");
    let [energy, slope] = evaluate(&program, r);
    let [at_cutoff, _] = evaluate(&program, cutoff);
    if r < cutoff { (energy - at_cutoff, -slope) } else { (0.0, 0.0) }
}

/// A rough, warm wall.
#[derive(Clone, Copy, Debug)]
pub struct RoughWall {
    /// 0 diffusive, 1 maxwell, 2 ccl.
    pub model: u32,
    /// 0, 1, 2 for x, y, z.
    pub axis: usize,
    /// 1 for an upper wall, -1 for a lower one.
    pub side: f64,
    /// Where it stands.
    pub place: f64,
    /// kB T / m of the wall's temperature and the atom's mass.
    pub theta: f64,
    /// Its velocity.
    pub velocity: Vector,
    /// Accommodation coefficients.
    pub accommodation: Vector,
}

/// `wall/reflect/stochastic`: position and velocity after the wall, with the numbers that are drawn for the atom: five,
/// uniform above 0 and up to 1. Diffusive: along the wall a Maxwell distribution, across it a Rayleigh distribution. CCL:
/// M. Lord, Phys. Fluids A 3, 706 (1991).
pub fn reflect_stochastic(x: Vector, v: Vector, wall: &RoughWall, u: [f64; 5]) -> (Vector, Vector) {
    use std::f64::consts::TAU;
    let RoughWall { model, axis, side, place, theta, velocity, accommodation } = *wall;
    let beyond = x[axis] - place;
    if side * beyond <= 0.0 {
        return (x, v);
    }
    let since = if side * v[axis] > 0.0 { beyond / v[axis] } else { 0.0 };
    let length = (-2.0 * u[0].ln()).sqrt();
    let mut normal = [0.0; 3];
    normal[(axis + 1) % 3] = length * (TAU * u[1]).cos();
    normal[(axis + 2) % 3] = length * (TAU * u[1]).sin();
    let (alpha, heat) = (accommodation[axis], -2.0 * u[2].ln());
    let diffuse = model == 0 || u[4] < accommodation[0];
    let mut after: Vector = std::array::from_fn(|d| match (model, diffuse) {
        (2, _) => {
            let a = accommodation[d];
            velocity[d] + (1.0 - a) * (v[d] - velocity[d]) + ((2.0 - a) * a * theta).sqrt() * normal[d]
        }
        (_, true) => velocity[d] + theta.sqrt() * normal[d],
        (_, false) => v[d],
    });
    after[axis] = -match (model, diffuse) {
        (2, _) => {
            let mixed = 2.0 * ((1.0 - alpha) * alpha * theta * heat).sqrt() * v[axis] * (TAU * u[3]).cos();
            side * ((1.0 - alpha) * v[axis] * v[axis] + alpha * theta * heat + mixed).max(0.0).sqrt()
        }
        (_, true) => side * (theta * heat).sqrt(),
        (_, false) => v[axis],
    };
    let moved = |d: usize| match (since > 0.0, d == axis) {
        (true, _) => x[d] + (after[d] - v[d]) * since,
        (false, true) => place,
        (false, false) => x[d],
    };
    (std::array::from_fn(moved), after)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall that gives all atoms its own temperature, by each model: the energies of what leaves it are those of
    /// an effusing gas, 2 kT across and kT / 2 along each direction (here with m = 1).
    #[test]
    fn atoms_leave_a_rough_wall_with_its_temperature() {
        for model in 0..3 {
            let wall = RoughWall {
                model,
                axis: 1,
                side: 1.0,
                place: 1.0,
                theta: 1.5,
                velocity: [0.7, 0.0, 0.0],
                accommodation: [1.0; 3],
            };
            let (mut across, mut along, mut drift) = (0.0, 0.0, 0.0);
            let count = 20_000;
            for k in 0..count {
                let words = [0, 1].map(|n| crate::base::random::philox([k, n, 0, 0], [1, 2]));
                let u = [words[0][0], words[0][1], words[0][2], words[0][3], words[1][0]];
                let u = u.map(|word| (f64::from(word) + 0.5) / 2f64.powi(32));
                let (x, v) = reflect_stochastic([0.0, 1.1, 0.0], [0.3, 2.0, -0.1], &wall, u);
                assert!(v[1] < 0.0 && x[1] <= 1.0);
                across += v[1] * v[1] / f64::from(count);
                along += v[2] * v[2] / f64::from(count);
                drift += v[0] / f64::from(count);
            }
            // Variances: of v^2 = 2 theta E with E exponential (2 theta)^2, of a squared normal number 2 theta^2.
            let error = 4.0 / f64::from(count).sqrt();
            assert!((across - 3.0).abs() < 3.0 * error, "model {model}: {across}");
            assert!((along - 1.5).abs() < 1.5 * 2f64.sqrt() * error, "model {model}: {along}");
            assert!((drift - 0.7).abs() < 1.5f64.sqrt() * error, "model {model}: {drift}");
        }
    }
}
