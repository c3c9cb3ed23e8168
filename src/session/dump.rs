//! What a run and other commands want of a dump: the interface; dumps themselves are `output/dump`.

use crate::base::error::Result;
use crate::script::formula::Reference;
use crate::session::Session;
use crate::session::schedule::{Moment, Schedule};
use crate::session::snapshot::view::Snapshot;
use crate::session::thermo::RowValues;
use std::any::Any;

/// A `dump` of the script.
pub trait DumpWriter: Any {
    /// The name that the script gave it.
    fn id(&self) -> &str;

    /// The bit of the group whose atoms it writes, as a mask.
    fn group(&self) -> u32;

    /// Whether a frame has been written.
    fn begun(&self) -> bool;

    /// The values of computes, fixes and variables that it shows or goes by.
    fn references(&self) -> Vec<Reference>;

    /// When frames are written.
    fn schedule(&self) -> &Schedule;

    /// Takes note of atom IDs that were given anew: the old and the new one of each atom.
    fn renumber(&mut self, ids: &[(u32, u32)]);

    /// Lets go of the step that a variable has named: it is asked anew.
    fn begin_run(&mut self, now: Moment);

    /// Takes note that the time step has changed.
    fn follow_time_step(&mut self, now: Moment);

    /// Asks for the next step, where a variable names them.
    ///
    /// # Errors
    /// As [`Schedule::go_on`].
    fn go_on(&mut self, system: &Snapshot<'_>) -> Result<()>;

    /// Whether a frame is due at `step`; `setup` is true at the first step of a run, when `first yes` counts.
    fn due(&self, step: i64, setup: bool) -> bool;

    /// Whether it shows energies or virials, which a step tallies only when they are needed.
    fn needs_tally(&self, session: &Session) -> bool;

    /// Opens the file, so that a wrong path is found before the run.
    ///
    /// # Errors
    /// When it cannot be opened.
    fn open(&mut self) -> Result<()>;

    /// Writes a frame of the system as it is now.
    ///
    /// # Errors
    /// When the file cannot be written, the device fails, or a column cannot be computed.
    fn write_now(&mut self, system: &Snapshot<'_>, row: Option<&RowValues>) -> Result<()>;
}
