//! What the host does of a fix: at the beginning and end of a run, and at the steps that it names.

use super::{Fix, FixContext};
use crate::base::error::Result;

/// What the host does of a fix: at the beginning and end of a run, and at the steps that it names.
pub trait HostFix: Fix {
    /// Checks at the beginning of a run what could not be checked when the fix was defined, and gets ready. Atoms
    /// and forces are on the device.
    ///
    /// # Errors
    /// When something that it needs is missing.
    fn begin_run(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Takes note of a run that goes on with what the last one has left (`pre no`), instead of [`HostFix::begin_run`] and
    /// [`HostFix::setup`]: what it remembers goes on too.
    ///
    /// # Errors
    /// When the device fails.
    fn go_on(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Takes note of the forces of a run's first step as no fix has changed them.
    ///
    /// # Errors
    /// When the device fails.
    fn first_forces(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// The host's part at the first step of a run, with its forces as the fixes have changed them and with tallies,
    /// before the first output.
    ///
    /// # Errors
    /// As [`HostFix::end_of_step`].
    fn setup(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// The next step after `step` in which the host takes part; `None` for never.
    fn next(&self, _step: i64) -> Option<i64> {
        None
    }

    /// Whether its part at the steps of [`HostFix::next`] looks at atoms, or at what is summed up of them, so that all ranks know all of them there.
    fn looks_at_atoms(&self) -> bool {
        true
    }

    /// Whether it changes the time step at the steps of [`HostFix::next`], so that the time is not what the present one times the steps of the run says.
    fn changes_time_step(&self) -> bool {
        false
    }

    /// Whether it needs energies and virials at the steps in which the host takes part.
    fn needs_tally(&self) -> bool {
        false
    }

    /// The host's part before positions move; only for fixes that take part in every step.
    ///
    /// # Errors
    /// When the device fails.
    fn before_step(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Whether it has [`HostFix::positions_moved`]; only for fixes that take part in every step.
    fn shifts_atoms(&self) -> bool {
        false
    }

    /// The host's part when positions have moved, before lists and forces follow: how atoms are to be shifted, which
    /// [`DeviceHooks::end_with_host`](crate::engine::step::hooks::DeviceHooks::end_with_host) does then. Where a fix behind this one integrates, it
    /// comes before positions move.
    ///
    /// # Errors
    /// When the device fails.
    fn positions_moved(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// The host's part when forces are known, before any fix has changed them; also before the first step.
    ///
    /// # Errors
    /// When the device fails.
    fn post_force(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// The host's part at the end of a step; [`DeviceHooks::end_with_host`](crate::engine::step::hooks::DeviceHooks::end_with_host) follows it.
    ///
    /// # Errors
    /// When the device fails or a file cannot be written.
    fn end_of_step(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// The host's part in a minimization, wherever energy and forces have become known; it may end the search.
    ///
    /// # Errors
    /// As [`HostFix::end_of_step`].
    fn minimized(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Whether [`HostFix::end_of_step`] is for frames of `rerun`, too: not where it is what LAMMPS does before the forces of the next step.
    fn ends_frames(&self) -> bool {
        true
    }

    /// Measures anew what its values and its next step follow from, as other fixes have changed velocities at the end of this
    /// one. Returns whether there is anything.
    ///
    /// # Errors
    /// When a compute is gone or the device fails.
    fn remeasure(&self, _context: &FixContext<'_>) -> Result<bool> {
        Ok(false)
    }

    /// After the last step of a run.
    ///
    /// # Errors
    /// When a file cannot be written.
    fn end_run(&self, _context: &mut FixContext<'_>) -> Result<()> {
        Ok(())
    }
}
