//! Forces of many bodies against the energy that the same kernels give where atoms stand elsewhere.

use crate::many_body::{simulation_with, twin};
use crate::systems::{download, stiffness};
use clamps::engine::kernels::LaunchConfig;
use clamps::engine::simulation::Simulation;
use clamps::gpu::Gpu;
use clamps::gpu::options::Precision;
use clamps::model::atoms::Atoms;
use clamps::potentials::pair::Resolved;
use clamps::session::Session;

/// The atoms that are moved, and the way of each.
const MOVED: [u32; 2] = [1, 18];
const WAY: [f64; 3] = [0.6, -0.64, 0.48];

/// How far atoms are moved in double precision, where rounding is small.
const SMALL: f64 = 1e-4;
/// Else so far, or half as far, and so on.
const LARGE: f64 = 0.1;
const HALVINGS: i32 = 5;

/// The atoms, with some of them moved so far.
fn moved(session: &Session, by: f64) -> Atoms {
    let mut atoms = session.system.host_atoms.clone();
    for i in (0..atoms.len()).filter(|&i| MOVED.contains(&session.system.host_atoms.tag[i])) {
        (0..3).for_each(|d| atoms.x[i][d] += by * WAY[d]);
    }
    atoms
}

/// The slope at 0 from four values, whose error is h^4/30 of the fifth derivative where there is one.
fn slope(at: impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
}

/// How far to move atoms, and how far force and slope may then be apart.
///
/// Rounding by u (2^-24, 2^-53) changes all terms of an atom together by u k at most, where k is what stretching all lengths changes
/// of the virial per atom ([`stiffness`]); and the sum over all atoms by u of itself, with u of its own in mixed precision. So an energy
/// is off by 2 u k + u E with two moved atoms, and a slope by 18/(12 h) of that. A large h has an error of its own, which energies in f64
/// show: their slope by a small h is another one. It falls with h while the other one grows, but for kinks, so the first h at which it is
/// the smaller one will do, or else the best one.
fn best(session: &Session, simulation: &Simulation, precision: Precision) -> (f64, f64) {
    let energy = |by: f64| twin(session, &moved(session, by)).energy;
    let [single, double] = [f64::from(f32::EPSILON) / 2.0, f64::EPSILON / 2.0];
    let (terms, sum) = match precision {
        Precision::Single => (single, single),
        Precision::Mixed => (single, double),
        Precision::Double => (double, double),
    };
    let per_atom = stiffness(session, simulation) / simulation.atoms.n as f64;
    let off = MOVED.len() as f64 * terms * per_atom + sum * energy(0.0).abs();
    let rounding = |h: f64| 1.5 / h * off;
    if precision == Precision::Double {
        return (SMALL, rounding(SMALL));
    }
    let exact = slope(energy, SMALL);
    let mut best = (0.0, f64::INFINITY);
    for h in (0..=HALVINGS).map(|k| LARGE / 2.0_f64.powi(k)) {
        let own = (slope(energy, h) - exact).abs();
        if own + rounding(h) < best.1 {
            best = (h, own + rounding(h));
        }
        if own < rounding(h) {
            break;
        }
    }
    best
}

/// The force along the way of some atoms is the slope of the energy, both by these kernels.
pub(crate) fn check_slope(
    session: &Session,
    pair: &Resolved<'_>,
    (gpu, precision, shape): (&Gpu, Precision, LaunchConfig),
    place: &str,
) {
    let at = |by: f64| simulation_with(session, &moved(session, by), gpu, precision, shape, pair);
    let simulation = &at(0.0);
    let (tag, found) = (download(simulation).tag, simulation.atoms.forces().unwrap());
    let forces = tag.iter().zip(&found).filter(|(tag, _)| MOVED.contains(tag));
    let force: f64 = forces.map(|(_, f)| (0..3).map(|d| f[d] * WAY[d]).sum::<f64>()).sum();
    let energy = |by: f64| at(by).sums().unwrap().energy;
    let (h, bound) = best(session, simulation, precision);
    let typical = (found.iter().flatten().map(|f| f * f).sum::<f64>() / found.len() as f64).sqrt();
    assert!(bound < 0.01 * typical, "{bound} tells little of forces of {typical}, {place}");
    let error = (force + slope(energy, h)).abs();
    // Tables have kinks in their second derivatives, which even a small h sees.
    assert!(error <= bound + 1e-7 * (force.abs() + 1.0), "force {force}, off by {error:e}, h = {h}, {place}");
}
