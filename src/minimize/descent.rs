//! `min_style cg` and `sd`: line searches along the forces, or along conjugate directions.
//! Source: Polak and Ribiere, Rev. Franc. Inform. Rech. Oper. 16, 35 (1969).

use super::landscape::Landscape;
use super::line::{self, dot};
use super::{Limits, Settings, Stop};
use crate::error::Result;

/// Searches until a tolerance or a limit is reached.
///
/// # Errors
/// When the device fails.
pub(super) fn search(
    landscape: &mut Landscape<'_>,
    settings: &Settings,
    limits: Limits,
    conjugate: bool,
) -> Result<Stop> {
    // Conjugate directions begin anew after as many iterations as there are degrees of freedom.
    let restart = landscape.force.len() as i64;
    let mut gradient = landscape.force.clone();
    let mut direction = gradient.clone();
    let mut gradient_squared = landscape.force_squared(super::Norm::Two);
    loop {
        if let Some(stop) = landscape.next(limits) {
            return Ok(stop);
        }
        landscape.previous_energy = landscape.energy;
        if let Some(stop) = line::search(landscape, &direction, settings.dmax, settings.search)? {
            return Ok(stop);
        }
        if landscape.evaluations >= limits.evaluations {
            return Ok(Stop::MaxEvaluations);
        }
        if landscape.energy_settled(limits) {
            return Ok(Stop::EnergyTolerance);
        }
        if landscape.at_rest(limits, settings.norm) {
            return Ok(Stop::ForceTolerance);
        }
        let squared = dot(&landscape.force, &landscape.force);
        let overlap = dot(&landscape.force, &gradient);
        let mut beta = ((squared - overlap) / gradient_squared).max(0.0);
        if !conjugate || (landscape.iterations + 1) % restart == 0 {
            beta = 0.0;
        }
        gradient_squared = squared;
        gradient.clone_from(&landscape.force);
        direction.iter_mut().zip(&gradient).for_each(|(h, g)| *h = g + beta * *h);
        if dot(&gradient, &direction) <= 0.0 {
            direction.clone_from(&gradient);
        }
        landscape.write(false)?;
    }
}
