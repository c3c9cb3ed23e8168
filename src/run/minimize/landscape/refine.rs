//! Minimizations in mixed precision go on in double precision where pair forces, which are fp32 numbers, are round-off (docs/notes/minimization.md).

use super::super::{Limits, Stop};
use super::{Landscape, boxes_change};
use crate::base::error::Result;
use crate::base::ranks;
use crate::gpu::options::Precision;
use crate::run::{Clocks, setup};
use crate::session::minimize::Norm;

/// So many iterations without much smaller forces are enough to go on in double precision.
const STUCK_ITERATIONS: i64 = 500;

/// A force that may be round-off of fp32 pair forces, as a share of the energy of an atom over the list cutoff: some thousand times 2^-24, as the forces
/// of an atom's pairs are larger than that, and add up.
const ROUND_OFF: f64 = 1e-3;

impl Landscape<'_> {
    /// Whether forces have not become much smaller for long, and better ones can be had.
    pub(in crate::run::minimize) fn is_stuck(&self, limits: Limits) -> bool {
        self.iterations - self.fallen.1 >= STUCK_ITERATIONS && self.may_refine(Stop::RoundOff, limits)
    }

    /// Whether a search has ended as near to the minimum as fp32 pair forces can tell, but not where it was to end, and better forces can be had.
    pub(in crate::run::minimize) fn may_refine(&self, stop: Stop, limits: Limits) -> bool {
        let ends = match stop {
            Stop::RoundOff | Stop::Uphill => self.is_small(),
            // No step along a line lowers the energy, as far as seven digits tell; a tolerance of 0 has no other meaning.
            Stop::ZeroAlpha => self.iterations > 0,
            Stop::EnergyTolerance => limits.energy == 0.0,
            _ => false,
        };
        let room = self.iterations < limits.iterations && self.evaluations < limits.evaluations;
        let mixed = self.simulation.atoms.context.numerics.precision == Precision::Mixed;
        ends && room && self.is_above(limits) && mixed && !self.stays
    }

    /// Whether the force norm is above the one to end at, and pairs have to do with that.
    pub(in crate::run::minimize) fn is_above(&self, limits: Limits) -> bool {
        limits.force > 0.0 && self.force() > limits.force && self.energy != 0.0
    }

    /// Whether the force norm is so small that it may be round-off.
    fn is_small(&self) -> bool {
        let n = self.simulation.atoms.n as f64;
        let energy = (self.energy * self.divisor()).abs() / n;
        let many = if self.session.minimize.norm == Norm::Two { (3.0 * n).sqrt() } else { 1.0 };
        self.force() < ROUND_OFF * many * energy / self.simulation.neighbor.list_cutoff()
    }

    /// Another set-up in double precision: the atoms where they are, those of damped motion at rest. Where a run on one rank lacks memory for
    /// that, all stays as it is, and the log says so.
    ///
    /// # Errors
    /// As [`Landscape::evaluate`], and when one of several ranks lacks memory.
    pub(in crate::run::minimize) fn refine(&mut self) -> Result<()> {
        let step = self.session.clock.step;
        let anew = match setup::in_precision(self.session, &self.simulation, Precision::Double) {
            Err(error) if ranks::count() == 1 => {
                self.stays = true;
                self.say(&format!("WARNING: minimize: it cannot go on in double precision: {error}"));
                return Ok(());
            }
            anew => anew?,
        };
        self.simulation = anew;
        self.session.device.shape = Some((self.simulation.atoms.context.shape, "shipped".to_owned()));
        let lines = self.session.minimize.goes_along_lines();
        if !lines {
            self.simulation.rest()?;
        }
        self.vectors.follow(&self.simulation, boxes_change(self.session))?;
        self.vectors.warm_up(&mut self.simulation, lines)?;
        self.simulation.atoms.context.gpu.end_helpers();
        (self.least, self.fallen) = ((f64::INFINITY, self.iterations), (f64::INFINITY, self.iterations));
        self.say(&format!(
            "Step {step}: fp32 pair forces become no smaller, and the search goes on in double precision"
        ));
        self.evaluate()?;
        // Whether it is due or not, so that kernels of rows are compiled here.
        self.progress.suspend(|| self.output.end_with_row(self.session, &self.simulation))
    }

    /// Goes on behind that, with the frames that are due at this step.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub(in crate::run::minimize) fn go_on(&mut self, clocks: &Clocks) -> Result<()> {
        log::debug!("the loop goes on");
        self.simulation.course.clock = Some(clocks.began());
        if self.stays {
            return self.write(false);
        }
        let (session, simulation, output) = (&mut *self.session, &mut self.simulation, &mut self.output);
        self.written = Some(session.clock.step);
        self.progress.suspend(|| output.write_frames(session, simulation))
    }

    fn say(&mut self, text: &str) {
        self.progress.suspend(|| self.session.output.log.line(text));
    }
}
