//! Line searches: how far to go along a direction. Source: Nocedal and Wright, Numerical Optimization (2006), ch. 3
//! (sufficient decrease by backtracking); Shewchuk, An Introduction to the Conjugate Gradient Method Without the
//! Agonizing Pain (1994), secant steps; for `forcezero` the rule of false position on the slope. The constants are those of
//! LAMMPS (manual, `min_modify line`).

use crate::session::minimize::line_search::Search;

use super::Stop;
use super::landscape::Landscape;
use crate::base::error::Result;

pub(crate) const SEARCHES: [(&str, Search); 3] =
    [("backtrack", Search::Backtrack), ("quadratic", Search::Quadratic), ("forcezero", Search::ForceZero)];

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
/// Slopes below this are zero; also the shortest first step of `forcezero`.
const SMALLEST_SLOPE: f64 = 1e-28;

// Those of `forcezero`.
/// What part of the energy the first step is to take away, by the slope there.
const FIRST_FALL: f64 = 0.1;
/// A rise of the energy by less is none.
const RISE: f64 = 1e-12;
/// What part of the slope may be left.
const SLOPE_LEFT: f64 = 0.1;
/// What a step is multiplied by on which the energy has risen.
const SHORTER: f64 = 0.1;
/// By how much the next step may be longer than the last.
const LONGER: f64 = 4.0;
/// A coordinate that moves by less has not moved.
const SMALLEST_MOVE: f64 = 1e-14;

/// Goes along the direction to a lower energy, or says why it cannot; then the atoms are where they were.
///
/// # Errors
/// When the device fails.
pub(super) fn search(landscape: &mut Landscape<'_>, dmax: f64, search: Search) -> Result<Option<Stop>> {
    let first_slope = landscape.slope();
    // Without atoms the slope per atom is no number.
    if first_slope.is_nan() || first_slope <= 0.0 {
        return Ok(Some(Stop::NotDownhill));
    }
    if landscape.largest() == 0.0 {
        return Ok(Some(Stop::ZeroForce));
    }
    if search == Search::ForceZero {
        return force_zero(landscape, dmax, first_slope);
    }
    let start = landscape.start()?;
    let first_energy = landscape.energy;
    let alpha_max = landscape.reach(dmax).min(LONGEST);
    let mut alpha = alpha_max;
    // Along the way: step, slope and energy of the try before.
    let mut before = (0.0, first_slope, first_energy);
    loop {
        landscape.alpha = alpha;
        landscape.go(&start, alpha)?;
        let slope = landscape.slope();
        if search == Search::Quadratic {
            let change = slope - before.1;
            if slope.abs() < SMALLEST_SLOPE || change.abs() < SMALLEST_SLOPE {
                landscape.go(&start, 0.0)?;
                return Ok(Some(Stop::ZeroQuadratic));
            }
            let expected = 0.5 * (alpha - before.0) * (slope + before.1) + landscape.energy;
            let zero = alpha - (alpha - before.0) * slope / change;
            if (1.0 - expected / before.2).abs() <= NEARLY_QUADRATIC && zero > 0.0 && zero < alpha_max {
                landscape.go(&start, zero)?;
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
            landscape.go(&start, 0.0)?;
            let settled = search == Search::Backtrack && fall < 0.0;
            return Ok(Some(if settled { Stop::EnergyTolerance } else { Stop::ZeroAlpha }));
        }
    }
}

/// [`Search::ForceZero`], from a slope along the direction.
fn force_zero(landscape: &mut Landscape<'_>, dmax: f64, first_slope: f64) -> Result<Option<Stop>> {
    let (longest, largest) = (landscape.reach(dmax), landscape.largest());
    let start = landscape.start()?;
    let (mut energy, mut slope) = (landscape.energy, first_slope);
    let mut step = (FIRST_FALL * energy.abs() / first_slope).max(SMALLEST_SLOPE).min(0.5 * longest);
    landscape.alpha = 0.0;
    loop {
        if landscape.alpha + step > longest {
            return landscape.arrive();
        }
        landscape.alpha += step;
        landscape.go(&start, landscape.alpha)?;
        let here = landscape.slope();
        let rises = landscape.energy - energy >= RISE;
        if !rises && (here / first_slope).abs() <= SLOPE_LEFT {
            return landscape.arrive();
        }
        if rises || here < 0.0 {
            landscape.alpha -= step;
            step *= if here < 0.0 { slope / (slope - here) } else { SHORTER };
            if largest * step <= SMALLEST_MOVE {
                landscape.go(&start, 0.0)?;
                return Ok(Some(Stop::ZeroAlpha));
            }
        } else {
            let by = if slope > here { here / (slope - here) } else { LONGER };
            step *= by.min(LONGER);
            (energy, slope) = (landscape.energy, here);
        }
    }
}
