//! What the host's part of a fix sees and may change.

use super::{Header, Moment};
use crate::balance::Stored;
use crate::error::Result;
use crate::simulation::Simulation;
use crate::state::State;
use crate::system::System;
use std::cell::{Cell, RefCell};

/// What the host's part of a fix sees and may change.
pub struct World<'a> {
    /// What the script has said; its step is the current one.
    pub state: &'a State,
    /// The run.
    pub simulation: &'a mut Simulation,
    /// First and last step of the span over which targets rise.
    pub span: [i64; 2],
    /// Lines for the log.
    pub lines: &'a RefCell<Vec<String>>,
    /// Set: the step is the last one of the run, and, if `true`, of later runs too.
    pub stop: &'a Cell<Option<bool>>,
    /// Properties of atoms that fixes have given values.
    pub stored: &'a RefCell<Vec<Stored>>,
    /// Set: the time step from here on.
    pub dt: &'a Cell<Option<f64>>,
}

impl World<'_> {
    /// The system at this moment, to measure it.
    pub fn system(&self) -> System<'_> {
        System::new(self.state, Some(self.simulation))
    }

    /// Gives the functions of a fix three numbers per atom ID from 1 on ([`super::Fix::remembers_anew`]).
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember(&mut self, header: &Header, values: &[[f64; 3]]) -> Result<()> {
        let place = self.state.fixes.iter().position(|fix| fix.header().id == header.id);
        place.map_or(Ok(()), |place| self.simulation.remember(place, values))
    }

    /// This step, with everything that can be known at it.
    pub fn moment(&self) -> Moment<'_> {
        Moment::now(self.state, self.span, self.simulation)
    }
}
