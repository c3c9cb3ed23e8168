//! What fixes do to the force on one atom (cl/fix/): plain formulas of the LAMMPS manual's pages of the same names.

/// A vector.
pub type Vector = [f64; 3];

/// The dot product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|d| a[d] * b[d]).sum()
}

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

/// `wall/lj93`: energy at the distance r, and force away from the wall; both 0 from the cutoff on.
pub fn wall_lj93(r: f64, epsilon: f64, sigma: f64, cutoff: f64) -> (f64, f64) {
    let energy = |r: f64| epsilon * (2.0 / 15.0 * (sigma / r).powi(9) - (sigma / r).powi(3));
    let force = epsilon * (1.2 * (sigma / r).powi(9) - 3.0 * (sigma / r).powi(3)) / r;
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}

/// `wall/region` inside of a sphere or a cylinder, with the way `d` from its centre or axis: the new force and the energy
/// of a potential that gives energy and force at a distance.
pub fn wall_around(
    f: Vector,
    d: Vector,
    radius: f64,
    potential: impl Fn(f64) -> (f64, f64),
) -> (Vector, f64) {
    let r = dot(d, d).sqrt();
    let (energy, push) = potential(radius - r);
    (sum(f, scaled(-push / r, d)), energy)
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

/// `wall/morse` with the depth, 1 / width and place of the well.
pub fn wall_morse(r: f64, depth: f64, alpha: f64, place: f64, cutoff: f64) -> (f64, f64) {
    let decay = |r: f64| (-alpha * (r - place)).exp();
    let energy = |r: f64| depth * (decay(r).powi(2) - 2.0 * decay(r));
    let force = 2.0 * depth * alpha * (decay(r).powi(2) - decay(r));
    if r < cutoff { (energy(r) - energy(cutoff), force) } else { (0.0, 0.0) }
}
