//! What the host's part of a fix sees and may change.

use super::{Header, StepContext};
use crate::base::error::{Error, Result};
use crate::engine::simulation::Simulation;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::snapshot::view::Snapshot;
use std::cell::{Cell, RefCell};

/// What the host's part of a fix sees and may change.
pub struct FixContext<'a> {
    /// What the script has said; its step is the current one.
    pub session: &'a Session,
    /// The run.
    pub simulation: &'a mut Simulation,
    /// First and last step of the span over which targets rise.
    pub span: [i64; 2],
    /// Whether it is a minimization.
    pub minimizing: bool,
    /// Lines for the log.
    pub lines: &'a RefCell<Vec<String>>,
    /// Set: the step is the last one of the run, and, if `true`, of later runs too.
    pub stop: &'a Cell<Option<bool>>,
    /// Properties of atoms that fixes have given values.
    pub stored: &'a RefCell<Vec<Stored>>,
}

impl FixContext<'_> {
    /// The system at this moment, to measure it.
    pub fn system(&self) -> Snapshot<'_> {
        Snapshot::new(self.session, Some(self.simulation))
    }

    /// That the fix's group has a centre.
    ///
    /// # Errors
    /// When it has no atoms, or the device fails.
    pub fn check_members(&self, header: &Header) -> Result<()> {
        if self.system().of_group(header.group, None).count()? > 0.0 {
            return Ok(());
        }
        let group = self.session.system.groups.name(header.group);
        Err(Error::new(format!("there are no atoms in group {group}"))
            .help("check the group, or leave out the fix"))
    }

    /// Gives the functions of a fix three numbers per atom ID from 1 on ([`super::DeviceFix::updates_memory`]).
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember(&mut self, header: &Header, values: &[[f64; 3]]) -> Result<()> {
        self.place(header).map_or(Ok(()), |place| self.simulation.remember(place, values))
    }

    /// The same by recipes, by the device; `false` where the host has to.
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember_recipes(&self, header: &Header, recipes: &[AtomExpr; 3]) -> Result<bool> {
        let Some(place) = self.place(header) else { return Ok(false) };
        let system = self.system();
        let Some(worked) = system.work_out(recipes)? else { return Ok(false) };
        // A value that is not finite is for the host to explain.
        if worked.moments(header.group)?.is_none() {
            return Ok(false);
        }
        self.simulation.step_kernels.remember_columns(place, &worked)?;
        Ok(true)
    }

    /// What its functions have counted in this run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self, header: &Header) -> Result<u32> {
        self.place(header).map_or(Ok(0), |place| self.simulation.step_kernels.count_here(place))
    }

    fn place(&self, header: &Header) -> Option<usize> {
        self.session.fixes.iter().position(|fix| fix.header().id == header.id)
    }

    /// This step, with everything that can be known at it.
    pub fn moment(&self) -> StepContext<'_> {
        StepContext::now(self.session, self.span, self.simulation)
    }
}

/// A property of atoms with its values by atom ID, in the order of the IDs.
pub(crate) type Stored = (String, Vec<(u32, f64)>);
