//! The plain f64 twin of cl/pair/meam.cl: the energy at an atom, which depends on the ways to its neighbours alone, and its slopes by these.

use super::super::three_body::{Leg, Partial};
use super::Potential;
use super::reference::{gamma_function, smooth_step};
use crate::base::vector::{dot, minus};

/// What is left of a pair that others screen.
struct Screened {
    /// The product of all, without and with the fall to zero at the cutoff.
    part: f64,
    whole: f64,
    /// The slope of the latter by the distance, of the fall alone.
    fall: f64,
}

/// Sums over the neighbours of an atom: moments of the partial densities.
#[derive(Default)]
struct Moments {
    rho0: f64,
    /// Sums of t_l rho0 and of t_l^2 rho0.
    weights: [f64; 3],
    squares: [f64; 3],
    dipole: [f64; 3],
    quadrupole: [[f64; 3]; 3],
    trace: f64,
    octupole: [[[f64; 3]; 3]; 3],
    vector: [f64; 3],
}

fn add(to: &mut [f64; 3], factor: f64, a: [f64; 3]) {
    to.iter_mut().zip(a).for_each(|(to, a)| *to += factor * a);
}

/// A matrix and a vector.
fn times(matrix: &[[f64; 3]; 3], u: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| dot(row, u))
}

fn way(leg: &Leg) -> [f64; 3] {
    leg.unit.map(|x| leg.r * x)
}

/// Squared distances of i and j, i and k, j and k.
fn triangle(j: &Leg, k: &Leg) -> [f64; 3] {
    let between = minus(way(j), way(k));
    [j.r.powi(2), k.r.powi(2), dot(between, between)]
}

/// C of an atom between two others, where it is within the sphere around them that has both on it, or not far outside.
fn ellipse([ij, ik, jk]: [f64; 3]) -> Option<f64> {
    let (x, y) = (ik / ij, jk / ij);
    let a = 1.0 - (x - y).powi(2);
    (a > 0.0).then(|| (2.0 * (x + y) + a - 2.0) / a)
}

impl Potential {
    /// How far k leaves the pair of atom i and j, as [`smooth_step`] of a place between Cmin and Cmax, with the slope by C.
    fn part(&self, i: usize, j: &Leg, k: &Leg) -> [f64; 2] {
        let [least, most] = self.parameters.screen(i, j.element, k.element);
        let c = ellipse(triangle(j, k)).unwrap_or(most);
        let [part, slope] = smooth_step((c - least) / (most - least));
        [part, slope / (most - least)]
    }

    fn screened(&self, i: usize, legs: &[Leg], j: usize) -> Screened {
        let leg = &legs[j];
        let parameters = &self.parameters;
        if leg.r >= parameters.cutoff {
            return Screened { part: 0.0, whole: 0.0, fall: 0.0 };
        }
        let others = legs.iter().enumerate().filter(|(k, _)| *k != j);
        let part: f64 = others.map(|(_, other)| self.part(i, leg, other)[0]).product();
        let [taper, slope] = smooth_step((parameters.cutoff - leg.r) / parameters.taper);
        Screened { part, whole: part * taper, fall: -part * slope / parameters.taper }
    }

    /// Densities that an element makes, as they are summed up: with averages of weights those of angles have their weights.
    fn densities(&self, element: usize, r: f64) -> ([f64; 4], [f64; 4]) {
        let own = &self.parameters.elements[element];
        let scale = self.parameters.pair(element, element).distance;
        let mut rho = self.parameters.densities(element, r);
        if self.parameters.averaging == 1 {
            (1..4).for_each(|l| rho[l] *= own.weight[l - 1]);
        }
        (rho, std::array::from_fn(|l| -own.decay[l] / scale * rho[l]))
    }

    /// The energy at an atom, and what it does to each neighbour.
    pub(super) fn around(&self, i: usize, legs: &[Leg]) -> (f64, Vec<Partial>) {
        let parameters = &self.parameters;
        let own = &parameters.elements[i];
        let mut partials = vec![Partial::default(); legs.len()];
        let screened: Vec<Screened> = (0..legs.len()).map(|j| self.screened(i, legs, j)).collect();
        let (mut sums, mut energy) = (Moments::default(), 0.0);
        for (leg, Screened { whole, .. }) in legs.iter().zip(&screened).filter(|(_, s)| s.whole > 0.0) {
            energy += 0.5 * whole * self.table(i, leg.element).at(leg.r)[0];
            let rho = self.densities(leg.element, leg.r).0.map(|rho| whole * rho);
            let (u, weight) = (leg.unit, parameters.elements[leg.element].weight);
            sums.rho0 += rho[0];
            sums.trace += rho[2];
            add(&mut sums.weights, rho[0], weight);
            add(&mut sums.squares, rho[0], weight.map(|t| t * t));
            add(&mut sums.dipole, rho[1], u);
            add(&mut sums.vector, rho[3], u);
            for d in 0..3 {
                add(&mut sums.quadrupole[d], rho[2] * u[d], u);
                (0..3).for_each(|e| add(&mut sums.octupole[d][e], rho[3] * u[d] * u[e], u));
            }
        }
        let rho0 = sums.rho0;
        if rho0 <= 0.0 {
            return (energy, partials);
        }
        let weight: [f64; 3] = match parameters.averaging {
            2 => own.weight,
            1 => {
                [0, 1, 2].map(|l| if sums.squares[l] > 0.0 { sums.weights[l] / sums.squares[l] } else { 0.0 })
            }
            _ => sums.weights.map(|sum| sum / rho0),
        };
        let squared = |a: [f64; 3]| dot(a, a);
        let partial = [
            squared(sums.dipole),
            sums.quadrupole.iter().map(|row| squared(*row)).sum::<f64>() - sums.trace.powi(2) / 3.0,
            sums.octupole.iter().flatten().map(|row| squared(*row)).sum::<f64>() - 0.6 * squared(sums.vector),
        ]
        .map(|sum| sum / rho0.powi(2));
        let gamma = dot(weight, partial);
        let [g, g_slope] = gamma_function(gamma, own.ibar, parameters.smoothing);
        let (reference, reference_slopes) = parameters.reference_density(i, weight);
        let density = rho0 * g / reference;
        let [embedded, slope] = parameters.embedded(i, density);
        energy += embedded;
        let push = slope / reference;
        for (j, leg) in legs.iter().enumerate().filter(|(j, _)| screened[*j].whole > 0.0) {
            let Screened { part, whole, fall } = screened[j];
            let (rho, falls) = self.densities(leg.element, leg.r);
            let (u, theirs) = (leg.unit, parameters.elements[leg.element].weight);
            // The slopes by the density of this neighbour, times whatever is left of it.
            let mut spherical = g - 2.0 * gamma * g_slope;
            for l in 0..3 {
                let turned = match parameters.averaging {
                    2 => 0.0,
                    1 if sums.squares[l] == 0.0 => 0.0,
                    1 => (theirs[l] - weight[l] * theirs[l].powi(2)) * rho0 / sums.squares[l],
                    _ => theirs[l] - weight[l],
                };
                spherical += turned * (g_slope * partial[l] - g / reference * reference_slopes[l]);
            }
            let angular = weight.map(|t| 2.0 * push * g_slope * t / rho0);
            let (bent, twice) =
                (times(&sums.quadrupole, u), sums.octupole.map(|slice| dot(times(&slice, u), u)));
            let by_rho = [
                push * spherical,
                angular[0] * dot(sums.dipole, u),
                angular[1] * (dot(bent, u) - sums.trace / 3.0),
                angular[2] * (dot(twice, u) - 0.6 * dot(sums.vector, u)),
            ];
            let [phi, phi_slope] = self.table(i, leg.element).at(leg.r);
            let sum = |rho: [f64; 4]| by_rho.iter().zip(rho).map(|(slope, rho)| slope * rho).sum::<f64>();
            let by_part = sum(rho) + 0.5 * phi;
            let along = whole * (sum(falls) + 0.5 * phi_slope) + fall * by_part;
            let mut turn = [0.0; 3];
            add(&mut turn, angular[0] * rho[1], sums.dipole);
            add(&mut turn, 2.0 * angular[1] * rho[2], bent);
            add(&mut turn, 3.0 * angular[2] * rho[3], twice);
            add(&mut turn, -0.6 * angular[2] * rho[3], sums.vector);
            let slope = &mut partials[j].slope;
            add(slope, along - whole / leg.r * dot(turn, u), u);
            add(slope, whole / leg.r, turn);
            if part < 1.0 {
                self.push_screens(i, legs, j, whole * by_part, &mut partials);
            }
        }
        (energy, partials)
    }

    /// What atoms between do to a pair whose energy is `energy` times what they leave of it.
    fn push_screens(&self, i: usize, legs: &[Leg], j: usize, energy: f64, partials: &mut [Partial]) {
        let leg = &legs[j];
        for (k, other) in legs.iter().enumerate().filter(|(k, _)| *k != j) {
            let [part, slope] = self.part(i, leg, other);
            let sides = triangle(leg, other);
            let (1.., Some(c)) = (usize::from(slope > 0.0), ellipse(sides)) else { continue };
            let by_c = energy * slope / part;
            let (x, y) = (sides[1] / sides[0], sides[2] / sides[0]);
            let a = 1.0 - (x - y).powi(2);
            let [by_x, by_y] = [1.0, -1.0].map(|sign| 2.0 * by_c / a * (1.0 + sign * (c - 1.0) * (x - y)));
            let [by_ij, by_ik, by_jk] =
                [-(x * by_x + y * by_y), by_x, by_y].map(|slope| 2.0 * slope / sides[0]);
            let between = minus(way(leg), way(other));
            add(&mut partials[j].slope, by_ij, way(leg));
            add(&mut partials[j].slope, by_jk, between);
            add(&mut partials[k].slope, by_ik, way(other));
            add(&mut partials[k].slope, -by_jk, between);
        }
    }
}
