//! Line searches: how far to go along a direction. Source: Nocedal and Wright, Numerical Optimization (2006), ch. 3
//! (sufficient decrease by backtracking); Shewchuk, An Introduction to the Conjugate Gradient Method Without the
//! Agonizing Pain (1994), secant steps. The constants are those of the LAMMPS manual, `min_modify line`.

use super::Stop;
use super::landscape::Landscape;
use crate::error::Result;

/// `min_modify line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Halves the step until the energy has fallen enough.
    Backtrack,
    /// The same, and takes the step to the zero of the slope once the energy is nearly quadratic.
    Quadratic,
}

pub(super) const SEARCHES: [(&str, Search); 2] =
    [("backtrack", Search::Backtrack), ("quadratic", Search::Quadratic)];

/// The longest step, as a factor of the direction.
const LONGEST: f64 = 1.0;
/// What a step is multiplied by when it was too long.
const REDUCTION: f64 = 0.5;
/// The share of the expected fall of the energy that is enough.
const ENOUGH: f64 = 0.4;
/// How far from quadratic the energy may be for a step to the zero of its slope.
const NEARLY_QUADRATIC: f64 = 0.1;
/// Changes of the energy below this are not to be trusted.
const SMALLEST_CHANGE: f64 = 1e-8;
/// Slopes below this are zero.
const SMALLEST_SLOPE: f64 = 1e-28;

/// Sum of products.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Goes along `direction` to a lower energy, or says why it cannot; then the atoms are where they were.
///
/// # Errors
/// When the device fails.
pub(super) fn search(
    landscape: &mut Landscape<'_>,
    direction: &[f64],
    dmax: f64,
    search: Search,
) -> Result<Option<Stop>> {
    let divisor = landscape.divisor();
    let slope_at = |landscape: &Landscape<'_>| dot(&landscape.force, direction) / divisor;
    let first_slope = slope_at(landscape);
    if first_slope <= 0.0 {
        return Ok(Some(Stop::NotDownhill));
    }
    if direction.iter().all(|h| *h == 0.0) {
        return Ok(Some(Stop::ZeroForce));
    }
    let start = landscape.start();
    let go = |landscape: &mut Landscape<'_>, alpha: f64| landscape.go(&start, direction, alpha);
    let first_energy = landscape.energy;
    let alpha_max = landscape.reach(direction, dmax).min(LONGEST);
    let mut alpha = alpha_max;
    // Along the way: step, slope and energy of the try before.
    let mut before = (0.0, first_slope, first_energy);
    loop {
        landscape.alpha = alpha;
        go(landscape, alpha)?;
        let slope = slope_at(landscape);
        if search == Search::Quadratic {
            let change = slope - before.1;
            if slope.abs() < SMALLEST_SLOPE || change.abs() < SMALLEST_SLOPE {
                go(landscape, 0.0)?;
                return Ok(Some(Stop::ZeroQuadratic));
            }
            let expected = 0.5 * (alpha - before.0) * (slope + before.1) + landscape.energy;
            let zero = alpha - (alpha - before.0) * slope / change;
            if (1.0 - expected / before.2).abs() <= NEARLY_QUADRATIC && zero > 0.0 && zero < alpha_max {
                go(landscape, zero)?;
                if landscape.energy - first_energy < SMALLEST_CHANGE {
                    return landscape.arrive();
                }
            }
        }
        let fall = landscape.energy - first_energy;
        let enough = -ENOUGH * alpha * first_slope;
        if fall <= enough {
            return landscape.arrive();
        }
        before = (alpha, slope, landscape.energy);
        alpha *= REDUCTION;
        landscape.alpha = alpha;
        if alpha <= 0.0 || enough >= -SMALLEST_CHANGE {
            go(landscape, 0.0)?;
            let settled = search == Search::Backtrack && fall < 0.0;
            return Ok(Some(if settled { Stop::EnergyTolerance } else { Stop::ZeroAlpha }));
        }
    }
}
