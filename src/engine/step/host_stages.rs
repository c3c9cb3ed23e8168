//! What the fix at one place of the script does to atoms amid a step or at its end, where the host takes part.

use super::StepKernels;
use crate::base::error::Result;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::neighbor::Neighbor;
use crate::gpu::Arg;

impl StepKernels {
    /// What the fix at a place of the script does at the end of `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_of_step(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, place: usize) -> Result<()> {
        self.host_stage(atoms, neighbor, place, false)
    }

    /// The same before the forces of the step, where lists have to follow.
    ///
    /// # Errors
    /// When the device fails.
    pub fn amid_step(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, place: usize) -> Result<()> {
        self.host_stage(atoms, neighbor, place, true)
    }

    fn host_stage(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, place: usize, amid: bool) -> Result<()> {
        let more = [Arg::U32(place as u32), i32::from(amid).into()];
        self.launch_moving(&self.end_of_step, atoms, neighbor, (atoms.step, amid), &more)
    }
}
