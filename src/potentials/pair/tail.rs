//! Tail corrections of the terms that potentials are made of, as [`super::style::Style::tail`] wants them:
//! 2 pi int E r^2 dr and 2/3 pi int F r^3 dr from the cutoff on (Allen and Tildesley, Computer Simulation of
//! Liquids, section 2.8). Those of a sum are the sums of its terms'.

use std::f64::consts::PI;

/// Of E = c / (r - delta)^n, for n > 3, from r = delta + `cutoff` on.
pub(super) fn power(c: f64, n: f64, cutoff: f64, delta: f64) -> (f64, f64) {
    // int s^(k - n) ds from the cutoff on.
    let moment = |k: f64| cutoff.powf(k + 1.0 - n) / (n - k - 1.0);
    let energy = moment(2.0) + 2.0 * delta * moment(1.0) + delta.powi(2) * moment(0.0);
    // F = n c s^(-n - 1), r^3 = (s + delta)^3.
    let virial = moment(2.0)
        + 3.0 * delta * moment(1.0)
        + 3.0 * delta.powi(2) * moment(0.0)
        + delta.powi(3) * moment(-1.0);
    (2.0 * PI * c * energy, 2.0 / 3.0 * PI * n * c * virial)
}

/// Of E = a exp(-r / rho).
pub(super) fn exponential(a: f64, rho: f64, cutoff: f64) -> (f64, f64) {
    let (r, end) = (cutoff, a * (-cutoff / rho).exp());
    let energy = rho * (r * r + 2.0 * rho * r + 2.0 * rho * rho);
    let virial = r.powi(3) + 3.0 * rho * r * r + 6.0 * rho * rho * r + 6.0 * rho.powi(3);
    (2.0 * PI * end * energy, 2.0 / 3.0 * PI * end * virial)
}

/// Of E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6].
pub(super) fn lennard_jones(epsilon: f64, sigma: f64, cutoff: f64) -> Option<(f64, f64)> {
    let s6 = sigma.powi(6);
    sum([power(4.0 * epsilon * s6 * s6, 12.0, cutoff, 0.0), power(-4.0 * epsilon * s6, 6.0, cutoff, 0.0)])
}

/// The sum of the terms' corrections.
pub(super) fn sum<const N: usize>(terms: [(f64, f64); N]) -> Option<(f64, f64)> {
    Some(terms.into_iter().fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1)))
}
