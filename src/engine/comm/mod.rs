//! Communication between processes: the calls of a step, in the order in which a step makes them.
//!
//! Today one process has all atoms ([`Serial`]): each call returns at once. Periodic images need no ghost atoms, as
//! differences of staged positions are taken modulo the box (docs/ARCHITECTURE.md). What several processes will do at
//! each call is said at the trait.

use crate::base::error::Result;
use crate::engine::device_atoms::DeviceAtoms;
use crate::model::domain::Domain;

/// What processes tell one another during a run.
pub trait Comm {
    /// Before a rebuild: atoms that have left this process's part of the box go to the process that owns the part where
    /// they are.
    ///
    /// # Errors
    /// When the device or a process fails.
    fn exchange(&mut self, atoms: &mut DeviceAtoms, domain: &Domain) -> Result<()>;

    /// After atoms have been sorted, before lists are built: ghost atoms near this part come from its neighbours.
    ///
    /// # Errors
    /// When the device or a process fails.
    fn borders(&mut self, atoms: &mut DeviceAtoms, domain: &Domain) -> Result<()>;

    /// At each step between rebuilds, before the forces: positions of ghost atoms follow their owners'.
    ///
    /// # Errors
    /// When the device or a process fails.
    fn forward(&mut self, atoms: &DeviceAtoms) -> Result<()>;
}

/// One process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Comm for Serial {
    fn exchange(&mut self, _atoms: &mut DeviceAtoms, _domain: &Domain) -> Result<()> {
        Ok(())
    }

    fn borders(&mut self, _atoms: &mut DeviceAtoms, _domain: &Domain) -> Result<()> {
        Ok(())
    }

    fn forward(&mut self, _atoms: &DeviceAtoms) -> Result<()> {
        Ok(())
    }
}
