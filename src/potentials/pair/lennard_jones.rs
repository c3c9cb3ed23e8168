//! What the styles of the Lennard-Jones family share. Their parameters begin with epsilon and sigma; distances
//! follow.

use super::style::{Mix, Params};
use crate::base::error::Result;
use crate::script::Args;

/// Reads epsilon and sigma, in the script's units.
///
/// # Errors
/// At a word that is no number.
pub(super) fn epsilon_and_sigma(args: &mut Args<'_>) -> Result<[f64; 2]> {
    Ok([args.f64("epsilon (an energy)")?, args.f64("sigma (a distance)")?])
}

/// The first parameter mixed as an energy, all others as distances.
pub(super) fn mix(rule: Mix, a: &[f64], b: &[f64]) -> Params {
    let distances = a.iter().zip(b).skip(1).map(|(&a, &b)| rule.distance(a, b));
    std::iter::once(rule.energy(a[0], b[0], a[1], b[1])).chain(distances).collect()
}

/// r F and E of 4 epsilon [(sigma/r)^12 - (sigma/r)^6] from epsilon and (sigma/r)^6.
pub(super) fn force_and_energy(epsilon: f64, s6: f64) -> (f64, f64) {
    (24.0 * epsilon * s6 * (2.0 * s6 - 1.0), 4.0 * epsilon * s6 * (s6 - 1.0))
}

/// What the kernels of the family begin with: c[0] to c[3] of cl/pair/lj_cut.cl.
pub(super) fn coefficients(params: &[f64]) -> [f64; 4] {
    let (epsilon, s6) = (params[0], params[1].powi(6));
    [48.0 * epsilon * s6 * s6, 24.0 * epsilon * s6, 4.0 * epsilon * s6 * s6, 4.0 * epsilon * s6]
}
