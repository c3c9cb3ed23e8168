//! `min_style fire` and `quickmin`: dynamics that loses its energy. Source: Bitzek, Koskinen, Gaehler, Moseler,
//! Gumbsch, Phys. Rev. Lett. 97, 170201 (2006); Guenole et al., Comput. Mater. Sci. 175, 109584 (2020), whose
//! changes are the defaults; Echeverri Restrepo and Andric, Comput. Mater. Sci. 218, 111978 (2023), `abcfire`;
//! Sheppard, Terrell, Henkelman, J. Chem. Phys. 128, 134106 (2008), quickmin.

use crate::session::minimize::damped::Integrator;

use super::landscape::Landscape;
use super::vectors::Damped;
use super::{Limits, Stop};
use crate::base::error::Result;

/// The longest time step up to `dt` in which a coordinate with the velocity `fastest` does not go farther than `dmax`.
fn limited(fastest: f64, dt: f64, dmax: f64) -> f64 {
    if dt * fastest > dmax { dmax / fastest } else { dt }
}

/// Whether a tolerance is reached; that of the energy only some steps after the last turn.
fn settled(
    landscape: &mut Landscape<'_>,
    settings: &crate::session::minimize::Settings,
    limits: Limits,
    since_turn: i64,
) -> Option<Stop> {
    if limits.energy > 0.0 && since_turn > settings.damped.delay && landscape.energy_settled(limits) {
        return Some(Stop::EnergyTolerance);
    }
    if landscape.at_rest(limits) {
        return Some(Stop::ForceTolerance);
    }
    landscape.is_stuck(limits).then_some(Stop::RoundOff)
}

/// The fast inertial relaxation engine.
///
/// # Errors
/// When the device fails.
pub(super) fn fire(
    landscape: &mut Landscape<'_>,
    settings: &crate::session::minimize::Settings,
    limits: Limits,
) -> Result<Stop> {
    let fire = &settings.damped;
    let start = landscape.session.clock.step;
    let (longest, shortest) =
        (fire.longest * landscape.session.clock.dt, fire.shortest * landscape.session.clock.dt);
    let (mut alpha, mut turned, mut uphill) = (fire.alpha0, start, 0);
    let per_force = landscape.session.system.units.ftm2v;
    // The atoms are at rest when it begins.
    let mut rest = true;
    if fire.integrator == Integrator::LeapFrog {
        landscape.evaluate()?;
        landscape.kick(-0.5 * landscape.session.clock.dt * per_force)?;
    }
    loop {
        if let Some(stop) = landscape.next(limits) {
            return Ok(stop);
        }
        let step = landscape.session.clock.step;
        let power = landscape.here.along;
        let mut go = Damped::default();
        if power > 0.0 {
            uphill = 0;
            let squared = landscape.here.force_squared;
            let turn = if squared <= 1e-20 { 0.0 } else { (landscape.here.squared / squared).sqrt() };
            if fire.abc {
                alpha = f64::max(alpha, 1e-10);
                let bias = 1.0 - (1.0 - alpha).powf((step - turned) as f64);
                (go.keep, go.turn) = ((1.0 - alpha) / bias, alpha * turn / bias);
            } else {
                (go.keep, go.turn) = (1.0 - alpha, alpha * turn);
            }
            if step - turned > fire.delay {
                landscape.session.clock.dt = (landscape.session.clock.dt * fire.grow).min(longest);
                alpha *= fire.alpha_shrink;
            }
        } else {
            turned = step;
            if step - start >= fire.delay || !fire.initial_delay {
                alpha = fire.alpha0;
                if landscape.session.clock.dt * fire.shrink >= shortest {
                    landscape.session.clock.dt *= fire.shrink;
                }
            }
            uphill += 1;
            if fire.most_uphill > 0 && uphill > fire.most_uphill {
                return Ok(Stop::Uphill);
            }
            if fire.half_step_back {
                go.back = -0.5 * landscape.session.clock.dt;
            }
            rest = true;
        }
        go.rest = rest;
        let mut dt = landscape.session.clock.dt;
        if !fire.abc {
            let mut fastest = landscape.here.largest;
            if rest {
                // From rest, the first kick says how far atoms would go.
                landscape.move_damped(&Damped { back: go.back, rest, ..Damped::default() })?;
                go.back = 0.0;
                fastest = dt * per_force * landscape.here.largest_push;
            }
            dt = limited(fastest, dt, settings.dmax);
        } else if power > 0.0 {
            go.fastest = settings.dmax / dt;
        }
        rest = false;
        landscape.previous_energy = landscape.energy;
        go.drift = dt;
        match fire.integrator {
            Integrator::EulerImplicit | Integrator::LeapFrog => {
                landscape.move_damped(&Damped { first: dt * per_force, ..go })?;
            }
            Integrator::Verlet => {
                let half = 0.5 * dt * per_force;
                landscape.move_damped(&Damped { first: half, ..go })?;
                landscape.kick(half)?;
            }
            Integrator::EulerExplicit => landscape.move_damped(&Damped { last: dt * per_force, ..go })?,
        }
        if let Some(stop) = settled(landscape, settings, limits, step - turned) {
            return Ok(stop);
        }
        if landscape.evaluations >= limits.evaluations {
            return Ok(Stop::MaxEvaluations);
        }
        landscape.write(false)?;
    }
}

/// Velocities along the forces, and none where they point uphill.
///
/// # Errors
/// When the device fails.
pub(super) fn quickmin(
    landscape: &mut Landscape<'_>,
    settings: &crate::session::minimize::Settings,
    limits: Limits,
) -> Result<Stop> {
    let mut turned = landscape.session.clock.step;
    loop {
        if let Some(stop) = landscape.next(limits) {
            return Ok(stop);
        }
        let power = landscape.here.along;
        let mut scale = 0.0;
        if power < 0.0 {
            turned = landscape.session.clock.step;
        } else if landscape.here.force_squared != 0.0 {
            scale = power / landscape.here.force_squared;
        }
        let dt = limited(scale * landscape.here.largest_force, landscape.session.clock.dt, settings.dmax);
        landscape.previous_energy = landscape.energy;
        let last = dt * landscape.session.system.units.ftm2v;
        landscape.move_damped(&Damped { rest: true, turn: scale, drift: dt, last, ..Damped::default() })?;
        // LAMMPS counts five steps here, whatever `delaystep` is.
        let since_turn = landscape.session.clock.step - turned + settings.damped.delay - QUICKMIN_DELAY;
        if let Some(stop) = settled(landscape, settings, limits, since_turn) {
            return Ok(stop);
        }
        if landscape.evaluations >= limits.evaluations {
            return Ok(Stop::MaxEvaluations);
        }
        landscape.write(false)?;
    }
}

/// Steps after a turn before quickmin looks at the energy.
const QUICKMIN_DELAY: i64 = 5;
