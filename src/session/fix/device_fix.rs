//! What the device does of a fix at each step: functions of one atom, the numbers that they read, what they add up.

use super::coupling::DeviceCoupling;
use super::{Fix, FixContext, FixSums, StepContext};
use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use std::borrow::Cow;

/// What the device does of a fix at each step: functions of one atom, the numbers that they read, what they add up.
pub trait DeviceFix: Fix {
    /// Floating-point operations per atom before the forces and after them, as [`crate::output::kernel_cost`] counts them; 0 where nobody
    /// has counted, as they are few beside those of the forces.
    fn operations(&self) -> [u32; 2] {
        [0; 2]
    }

    /// What it does to each atom of its group at each step of a run, if anything.
    fn hooks(&self) -> Option<DeviceHooks> {
        None
    }

    /// The groups whose atoms its functions are called for, as a mask.
    fn groups(&self) -> u32 {
        self.header().group
    }

    /// What its functions read at every step: three numbers of each atom, by ID from 1 (`remembered` of cl/step/integrate.cl), or
    /// tables.
    fn memory(&self) -> Cow<'_, [f64]> {
        Cow::Borrowed(&[])
    }

    /// Whether the host gives its functions what they remember of each atom at each step (`FixContext::remember`), or may have to.
    fn updates_memory(&self) -> bool {
        false
    }

    /// When a run is set up: whether the device works out formulas of atoms before it calls the functions ([`DeviceFix::formulas`]), which
    /// takes fp64. Else the host gives the functions their values. Where a run is set up anew on its way that stays as it was.
    fn hand_over_formulas(&self, _session: &Session, _wide: bool) {}

    /// When a run goes on without a set-up: where the formulas are others by now, the host gives their values from now on.
    fn keep_formulas(&self, _session: &Session) {}

    /// Looks whether an atom had no value by a formula.
    ///
    /// # Errors
    /// When there was one.
    fn check_formulas(&self, _context: &FixContext<'_>) -> Result<()> {
        Ok(())
    }

    /// Three numbers of each atom at one step that the device works out, `given` of `Here`, by the same operations at all steps, and whether
    /// they count, which they do unless the host has taken them back.
    ///
    /// # Errors
    /// When a variable has no value.
    fn formulas(&self, _now: &StepContext<'_>) -> Result<Option<([AtomExpr; 3], bool)>> {
        Ok(None)
    }

    /// The region whose atoms its functions are for, besides the group.
    fn region(&self) -> Option<&str> {
        None
    }

    /// What its functions add up, if anything: `f_ID` and the like follow from it.
    fn measured(&self) -> Option<&FixSums> {
        None
    }

    /// Looks at the sums that were just measured.
    ///
    /// # Errors
    /// When they must not be as they are.
    fn check_measured(&self) -> Result<()> {
        Ok(())
    }

    /// What `Here`'s `p` points to, at one step: always as many numbers.
    ///
    /// # Errors
    /// When a variable has no value.
    fn parameters(&self, _now: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    /// Whether [`DeviceFix::parameters`] change from step to step.
    fn varies(&self) -> bool {
        false
    }

    /// Its part of every step, where that is one that the device can do instead of the host.
    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        None
    }
}
