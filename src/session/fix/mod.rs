//! Fixes: what happens to the atoms besides forces. Each style is one file here, at most one snippet in cl/fix/ and
//! one line in `STYLES` of registry.rs.
//!
//! A fix takes part in a step in two ways. What it does to each atom by itself are functions of its snippet
//! (`DeviceHooks`), which become part of the step's kernels and read the numbers that [`DeviceFix::parameters`] gives for
//! that step. What needs the whole system it does on the host, at the steps that [`HostFix::next`] names; the device
//! waits for it there (`hooks`). One fix may leave such a part of every step to the device (`coupling`); sums over atoms
//! that its functions go on with in the same step are the device's (`DeviceHooks::total`).

mod calls;
pub(crate) mod changes;
pub(crate) mod context;
pub mod coupling;
mod device_fix;
mod device_hooks;
pub mod error;
mod host_fix;
mod output;
mod program;
mod quantity;
mod quantity_args;
mod step_context;
pub(crate) mod style;
mod sums;

pub use changes::{BondLists, BoxChange, ExchangeAtoms};
pub use context::FixContext;
pub use device_fix::DeviceFix;
pub use device_hooks::{StageRow, row};
pub use host_fix::HostFix;
pub use output::{FixMemory, FixOutput};
pub use program::programs;
pub use quantity::{NamedVariables, Quantity};
pub use step_context::StepContext;
pub(crate) use style::NO_VALUES;
pub use style::{ChangedParameters, Fix, Header, Watched};
pub use sums::FixSums;

use crate::base::error::{Error, Result};

/// A fix whose atoms would jump with another time step ([`Fix::keeps_time_step`]), if there is one.
pub fn keeper_of_time_step(fixes: &[Box<dyn Fix>]) -> Option<&Header> {
    fixes.iter().find(|fix| fix.keeps_time_step()).map(|fix| fix.header())
}

/// As many numbers as a fix has written to a restart file.
///
/// # Errors
/// When there are more or fewer.
pub(crate) fn restored<const N: usize>(numbers: &[f64]) -> Result<[f64; N]> {
    let other = |_| Error::new(format!("the restart file has {} numbers of it, not {N}", numbers.len()));
    numbers.try_into().map_err(other)
}
