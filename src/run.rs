//! The time-step loop.

use crate::atoms::Atoms;
use crate::error::Result;

/// Atoms on a device.
pub struct Resident {}

impl Resident {
    /// Brings the atoms back.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&mut self, _atoms: &mut Atoms) -> Result<()> {
        Ok(())
    }
}
