//! What the fix at one place of the script does to atoms amid a step or at its end, where the host takes part.

use super::StepKernels;
use super::arguments::moved_velocities;
use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, real};
use crate::engine::neighbor::Neighbor;
use crate::gpu::Arg;
use crate::gpu::record::Section;

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
        let ((watched, trigger), moved) = (neighbor.watch(atoms.step), neighbor.moved(atoms));
        let rest = [
            atoms.force.arg(),
            (&atoms.packed).into(),
            (&atoms.x_hold).into(),
            (&neighbor.cells().box_buffer).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            Arg::U32(place as u32),
            i32::from(amid).into(),
            real(atoms.context.numerics, trigger),
            i32::from(amid && watched).into(),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(moved.start as u32),
            Arg::U32(moved.end as u32),
        ];
        let mut args = [&self.atom_args(atoms, atoms.step)[..], &rest].concat();
        args.extend(moved_velocities(atoms, neighbor, false));
        self.end_of_step.launch_each(Section::Modify, moved.len(), atoms.context.shape.local, &args)
    }
}
