//! What holds the temperature of rigid bodies, and what that is.

use super::Rigid;
use super::quaternion::{to_body, to_space};
use crate::base::error::{Error, Result};
use crate::base::random::Ranmar;
use crate::base::vector::Vector;
use crate::fixes::thermostat::Target;
use crate::model::units::Units;
use crate::session::Session;
use crate::session::fix::{FixContext, StepContext};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Drag and noise on each body (`langevin`).
pub(super) struct Langevin {
    target: Target,
    /// The damping time.
    damp: f64,
    /// As of the end of the last step that is known.
    pub random: RefCell<Ranmar>,
    /// Where the device moves the bodies: the first step that has numbers of its own, the state before it, and the numbers of steps from it on with
    /// the state behind each.
    first: Cell<i64>,
    before: RefCell<Option<Ranmar>>,
    ahead: RefCell<VecDeque<(Vec<f64>, Ranmar)>>,
}

impl Langevin {
    pub(super) fn new(target: Target, damp: f64, random: Ranmar) -> Self {
        let (first, before, ahead) = Default::default();
        Langevin { target, damp, random: RefCell::new(random), first, before, ahead }
    }

    /// Whether its target is known ahead.
    pub(super) fn is_foreseen(&self) -> bool {
        !self.target.is_variable()
    }

    /// What noise is multiplied by, and drag, in force units: at a step.
    ///
    /// # Errors
    /// When a variable has no value.
    pub(super) fn factors(&self, now: &StepContext<'_>) -> Result<[f64; 2]> {
        let Units { boltz, mvv2e, ftm2v, .. } = now.session.system.units;
        let dt = now.session.clock.dt;
        let strength = (24.0 * boltz * self.target.at(now)? / (self.damp * dt * mvv2e)).sqrt() / ftm2v;
        Ok([strength, 1.0 / (self.damp * ftm2v)])
    }

    /// Begins a run at a step.
    pub(super) fn begin(&self, step: i64) {
        self.first.set(step + 1);
        self.before.replace(Some(self.random.borrow().clone()));
        self.ahead.borrow_mut().clear();
    }

    /// Six numbers around 0 for each of so many bodies at a step; 0 before the first one of the run. A step always has the same.
    pub(super) fn draws(&self, step: i64, bodies: usize) -> Vec<f64> {
        let before = self.before.borrow();
        let (Some(before), Ok(place)) = (before.as_ref(), usize::try_from(step - self.first.get())) else {
            return vec![0.0; 6 * bodies];
        };
        let ahead = &mut *self.ahead.borrow_mut();
        while ahead.len() <= place {
            let mut random = ahead.back().map_or(before, |(_, random)| random).clone();
            let numbers = (0..6 * bodies).map(|_| random.uniform() - 0.5).collect();
            ahead.push_back((numbers, random));
        }
        ahead[place].0.clone()
    }

    /// The numbers of steps before this one are not asked for again; those behind are not drawn yet, for restart files.
    pub(super) fn pass(&self, step: i64) {
        let ahead = &mut *self.ahead.borrow_mut();
        while self.first.get() < step {
            let Some((_, random)) = ahead.pop_front() else { break };
            self.before.replace(Some(random));
            self.first.set(self.first.get() + 1);
        }
        if let Some((_, random)) = ahead.front().filter(|_| self.first.get() == step) {
            self.random.replace(random.clone());
        }
    }
}

impl Rigid {
    /// Drag and noise on each body, as it moves in the middle of the step.
    pub(super) fn thermalize(&self, context: &FixContext<'_>) -> Result<()> {
        let Some(langevin) = &self.options.langevin else { return Ok(()) };
        let [strength, drag] = langevin.factors(&context.moment())?;
        let random = &mut *langevin.random.borrow_mut();
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
