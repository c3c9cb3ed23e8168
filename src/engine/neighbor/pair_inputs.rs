//! What pair styles see of atoms besides positions and types, beside the staged positions (cl/neighbor/stage_inputs.cl): charges and other
//! numbers, given by ID and put in their places at each rebuild; velocities, which follow whenever positions are staged.

use crate::base::error::Result;
use crate::engine::device_atoms::{DUMMIES, DeviceAtoms, Floats};
use crate::engine::kernels::{Context, STAGE_INPUTS};
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use std::ops::Range;

/// Numbers of atoms by ID.
pub type ById = [(u32, f64)];

/// Numbers of each atom on the device that stay through a run: charges, or what else pair styles read.
pub struct AtomNumbers {
    stage: Kernel,
    by_tag: Floats,
    /// Beside the staged positions: copies of the box `capacity` apart, then dummies, whose numbers are 0.
    pub by_place: Floats,
    /// How many each atom has.
    pub(super) width: usize,
}

impl AtomNumbers {
    /// These columns, for up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, name: &'static str, columns: &[&ById], n: usize) -> Result<Self> {
        let (gpu, wide, width) = (&context.gpu, context.numerics.wide_pairs(), columns.len());
        Ok(AtomNumbers {
            stage: context.program(&[STAGE_INPUTS])?.kernel("stage_numbers")?,
            by_tag: Floats::from_values(gpu, "numbers of atoms by ID", &by_tag(columns), wide)?,
            by_place: Floats::new(gpu, name, (n * context.copies + DUMMIES) * width, wide)?,
            width,
        })
    }

    /// Gives the same atoms other numbers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set(&mut self, atoms: &DeviceAtoms, columns: &[&ById]) -> Result<()> {
        self.by_tag.write(Section::Modify, &by_tag(columns))?;
        self.stage(atoms, 0..atoms.n)
    }

    /// Enqueues the way from IDs to places of these atoms, after they have come into their order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn stage(&self, atoms: &DeviceAtoms, of: Range<usize>) -> Result<()> {
        let args = [
            (&atoms.arrays.tag).into(),
            self.by_tag.arg(),
            self.by_place.arg(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
            Arg::U32(atoms.context.copies as u32),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(self.width as u32),
            Arg::U32(of.start as u32),
            Arg::U32(of.end as u32),
        ];
        self.stage.launch_each(Section::Neigh, of.len(), atoms.context.shape.local, &args)
    }
}

/// The rows of all columns in the order of IDs, from 0 on.
fn by_tag(columns: &[&ById]) -> Vec<f64> {
    let tags = columns.iter().flat_map(|column| column.iter()).map(|&(tag, _)| tag);
    let (most_tag, width) = (tags.max().unwrap_or(0) as usize, columns.len());
    let mut by_tag = vec![0.0; (most_tag + 1) * width];
    for (k, column) in columns.iter().enumerate() {
        column.iter().for_each(|&(tag, number)| by_tag[tag as usize * width + k] = number);
    }
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

    /// Enqueues the staging of these atoms' velocities as they are.
    ///
    /// # Errors
    /// When the device fails.
    pub fn stage(&self, atoms: &DeviceAtoms, cells: &Cells, of: Range<usize>) -> Result<()> {
        let args = [
            atoms.arrays.v.arg(),
            (&atoms.arrays.tag).into(),
            self.beside(atoms, false).into(),
            (&cells.box_buffer).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(of.start as u32),
            Arg::U32(of.end as u32),
        ];
        self.stage.launch_each(Section::Neigh, of.len(), atoms.context.shape.local, &args)
    }
}
