//! `min_style cg` and `sd`: line searches along the forces, or along conjugate directions.
//! Source: Polak and Ribiere, Rev. Franc. Inform. Rech. Oper. 16, 35 (1969).

use super::landscape::Landscape;
use super::line;
use super::{Limits, Stop};
use crate::base::error::Result;
use crate::session::minimize::{Norm, Settings};

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
    let restart = landscape.freedom() as i64;
    landscape.turn(0.0)?;
    let mut gradient_squared = landscape.force_squared(Norm::Two);
    loop {
        if let Some(stop) = landscape.next(limits) {
            return Ok(stop);
        }
        landscape.previous_energy = landscape.energy;
        if let Some(stop) = line::search(landscape, settings.dmax, settings.search)? {
            return Ok(stop);
        }
        if landscape.evaluations >= limits.evaluations {
            return Ok(Stop::MaxEvaluations);
        }
        if landscape.energy_settled(limits) {
            return Ok(Stop::EnergyTolerance);
        }
        if landscape.at_rest(limits) {
            return Ok(Stop::ForceTolerance);
        }
        if landscape.is_stuck(limits) {
            return Ok(Stop::RoundOff);
        }
        let squared = landscape.force_squared(Norm::Two);
        let mut beta = ((squared - landscape.overlap()) / gradient_squared).max(0.0);
        if !conjugate || (landscape.iterations + 1) % restart == 0 {
            beta = 0.0;
        }
        gradient_squared = squared;
        landscape.turn(beta)?;
        if landscape.slope() <= 0.0 {
            landscape.turn(0.0)?;
        }
        landscape.write(false)?;
    }
}
