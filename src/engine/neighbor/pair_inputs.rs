//! What pair styles see of atoms besides positions and types, beside the staged positions (cl/neighbor/stage_inputs.cl): charges, given by
//! ID and put in their places at each rebuild; velocities, which follow whenever positions are staged.

use crate::base::error::Result;
use crate::engine::device_atoms::{DUMMIES, DeviceAtoms, Floats};
use crate::engine::kernels::{Context, STAGE_INPUTS};
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};

/// The charges of a run on the device.
pub struct Charges {
    stage: Kernel,
    by_tag: Floats,
    /// Beside the staged positions: copies of the box `capacity` apart, then dummies without charge.
    pub by_place: Floats,
}

impl Charges {
    /// Of atoms by ID, as [`crate::session::Session::charges`] gives them, for up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, charges: &[(u32, f64)], n: usize) -> Result<Self> {
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        Ok(Charges {
            stage: context.program(&[STAGE_INPUTS])?.kernel("stage_charges")?,
            by_tag: Floats::from_values(gpu, "charges by ID", &by_tag(charges), wide)?,
            by_place: Floats::new(gpu, "charges", n * context.copies + DUMMIES, wide)?,
        })
    }

    /// Gives the same atoms other charges.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set(&mut self, atoms: &DeviceAtoms, charges: &[(u32, f64)]) -> Result<()> {
        self.by_tag.write(Section::Modify, &by_tag(charges))?;
        self.stage(atoms)
    }

    /// Enqueues the way from IDs to places, after atoms have come into their order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn stage(&self, atoms: &DeviceAtoms) -> Result<()> {
        let args = [
            (&atoms.arrays.tag).into(),
            self.by_tag.arg(),
            self.by_place.arg(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
            Arg::U32(atoms.context.copies as u32),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(atoms.n as u32),
        ];
        self.stage.launch_each(Section::Neigh, atoms.n, atoms.context.shape.local, &args)
    }
}

fn by_tag(charges: &[(u32, f64)]) -> Vec<f64> {
    let most_tag = charges.iter().map(|&(tag, _)| tag).max().unwrap_or(0) as usize;
    let mut by_tag = vec![0.0; most_tag + 1];
    charges.iter().for_each(|&(tag, charge)| by_tag[tag as usize] = charge);
    by_tag
}

/// The velocities of a run, with atom IDs, where pair styles see them.
pub struct Velocities {
    stage: Kernel,
    /// Beside [`DeviceAtoms::packed`] and [`DeviceAtoms::packed_next`] as they were first; dummies are at rest.
    staged: [Buffer<u32>; 2],
}

impl Velocities {
    /// For up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, n: usize) -> Result<Self> {
        let len = (n * context.copies + DUMMIES) * context.numerics.staged_words();
        let buffer = || context.gpu.buffer("staged velocities", len);
        let stage = context.program(&[STAGE_INPUTS])?.kernel("stage_velocities")?;
        Ok(Velocities { stage, staged: [buffer()?, buffer()?] })
    }

    /// Those beside [`DeviceAtoms::packed`], or with `next` beside [`DeviceAtoms::packed_next`].
    pub fn beside(&self, atoms: &DeviceAtoms, next: bool) -> &Buffer<u32> {
        &self.staged[usize::from(atoms.parity.position != next)]
    }

    /// Enqueues the staging of the velocities as they are, after atoms have come into their order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn stage(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<()> {
        let args = [
            atoms.arrays.v.arg(),
            (&atoms.arrays.tag).into(),
            self.beside(atoms, false).into(),
            (&cells.box_buffer).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(atoms.n as u32),
        ];
        self.stage.launch_each(Section::Neigh, atoms.n, atoms.context.shape.local, &args)
    }
}
