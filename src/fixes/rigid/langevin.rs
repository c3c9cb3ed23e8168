//! What holds the temperature of rigid bodies, and what that is.

use super::Rigid;
use super::quaternion::{to_body, to_space};
use crate::base::error::{Error, Result};
use crate::base::vector::Vector;
use crate::model::units::Units;
use crate::session::Session;
use crate::session::fix::{FixContext, StepContext};

impl Rigid {
    /// Drag and noise on each body, as it moves in the middle of the step.
    pub(super) fn thermalize(&self, context: &FixContext<'_>) -> Result<()> {
        let Some((target, damp, random)) = &self.options.langevin else { return Ok(()) };
        let (moment, Units { boltz, mvv2e, ftm2v, .. }) = (context.moment(), context.session.system.units);
        let strength =
            (24.0 * boltz * target.at(&moment)? / (damp * context.session.clock.dt * mvv2e)).sqrt() / ftm2v;
        let drag = 1.0 / (damp * ftm2v);
        let random = &mut *random.borrow_mut();
        let mut draw = || -> Vector { std::array::from_fn(|_| random.uniform() - 0.5) };
        for body in &mut self.bodies.borrow_mut().all {
            let (noise, axes) = (draw(), body.axes());
            let push =
                |d: usize| strength * body.mass.sqrt() * noise[d] - drag * body.mass * body.velocity[d];
            let (force, noise) = (std::array::from_fn(push), draw());
            let (omega, moments) = (to_body(&axes, body.omega), body.moments);
            let twist = |d: usize| strength * moments[d].sqrt() * noise[d] - drag * moments[d] * omega[d];
            body.noise = [force, to_space(&axes, std::array::from_fn(twist))];
        }
        Ok(())
    }

    /// Degrees of freedom of translation and of rotation that the chains hold the temperature of.
    pub(super) fn freedom(&self, dimension: u32) -> [f64; 2] {
        let bodies = self.bodies.borrow();
        let count = bodies.all.len() as f64;
        let missing = |moments: Vector| moments.iter().filter(|moment| moment.abs() < 1e-7).count() as f64;
        match dimension {
            2 => [2.0 * count, count],
            _ => {
                [3.0 * count, 3.0 * count - bodies.all.iter().map(|body| missing(body.moments)).sum::<f64>()]
            }
        }
    }

    /// kB times the target of the chains at a moment.
    pub(super) fn target(&self, now: &StepContext<'_>) -> Result<f64> {
        let Some((target, _)) = &self.options.temperature else { return Ok(0.0) };
        let target = target.at(now)?;
        match target > 0.0 {
            true => Ok(now.session.system.units.boltz * target),
            false => Err(Error::new("the chains cannot hold a temperature of 0").help("take one above 0")),
        }
    }

    /// The temperature of the bodies by the degrees of freedom that count.
    pub(super) fn temperature(&self, session: &Session) -> f64 {
        let (units, flat) = (session.system.units, session.system.dimension == 2);
        let bodies = self.bodies.borrow();
        let motion: f64 = bodies.all.iter().map(|body| body.motion().iter().sum::<f64>()).sum();
        let freedom: f64 = bodies.all.iter().map(|body| body.freedom(flat)).sum();
        if freedom > 0.0 { motion * units.mvv2e / (freedom * units.boltz) } else { 0.0 }
    }
}
