//! What pair styles see of atoms besides positions and types, beside the staged positions: charges, given by ID and put
//! in their places at each rebuild (cl/stage.cl).

use crate::error::Result;
use crate::gpu::{Arg, Kernel};
use crate::kernels::{Context, STAGE};
use crate::resident::{DUMMIES, Floats, Resident};
use crate::timing::Section;

/// The charges of a run on the device.
pub struct Charges {
    stage: Kernel,
    by_tag: Floats,
    /// Beside the staged positions: copies of the box `capacity` apart, then dummies without charge.
    pub by_place: Floats,
}

impl Charges {
    /// Of atoms by ID, as [`crate::state::State::charges`] gives them, for up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, charges: &[(u32, f64)], n: usize) -> Result<Self> {
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        let most_tag = charges.iter().map(|&(tag, _)| tag).max().unwrap_or(0) as usize;
        let mut by_tag = vec![0.0; most_tag + 1];
        charges.iter().for_each(|&(tag, charge)| by_tag[tag as usize] = charge);
        Ok(Charges {
            stage: context.program(&[STAGE])?.kernel("stage_charges")?,
            by_tag: Floats::from_values(gpu, "charges by ID", &by_tag, wide)?,
            by_place: Floats::new(gpu, "charges", n * context.copies + DUMMIES, wide)?,
        })
    }

    /// Enqueues the way from IDs to places, after atoms have come into their order.
    ///
    /// # Errors
    /// When the device fails.
    pub fn stage(&self, atoms: &Resident) -> Result<()> {
        let args = [
            (&atoms.columns.tag).into(),
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
