//! The passes over the neighbours before the one that makes forces: each leaves numbers of every atom, which the last one sees of both
//! atoms of a pair (cl/force/first_pass.cl).

use super::program::pass_program;
use crate::base::error::Result;
use crate::engine::device_atoms::{DUMMIES, DeviceAtoms, Floats};
use crate::engine::kernels::Context;
use crate::engine::neighbor::Neighbor;
use crate::engine::step::over_pages;
use crate::gpu::{Arg, Kernel};
use crate::potentials::pair::Coefficients;

/// The passes of a run, in their order.
pub(in crate::engine) struct Passes {
    passes: Vec<(Kernel, Floats)>,
    /// Beside the staged positions, so many numbers of each: copies of the box `capacity` apart, then dummies.
    made: Floats,
    /// The energy of each atom by these numbers.
    own: Floats,
}

impl Passes {
    /// For up to `n` atoms; `None` where forces are of two bodies.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(in crate::engine) fn new(
        context: &Context,
        coefficients: &Coefficients,
        n: usize,
    ) -> Result<Option<Self>> {
        let (gpu, wide, width) = (&context.gpu, context.numerics.wide_pairs(), coefficients.seen.made);
        if width == 0 {
            return Ok(None);
        }
        let pass = |pass| {
            let kernel = pass_program(context, pass, width)?.kernel("first_pass")?;
            Ok((kernel, Floats::from_values(gpu, "coefficients of a pass", &pass.table, wide)?))
        };
        Ok(Some(Passes {
            passes: coefficients.passes.iter().map(pass).collect::<Result<_>>()?,
            made: Floats::new(gpu, "numbers of passes", (n * context.copies + DUMMIES) * width, wide)?,
            own: Floats::new(gpu, "energies of passes", n, wide)?,
        }))
    }

    /// Enqueues them, for the positions of `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub(in crate::engine) fn launch(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        let rest = [self.made.arg(), self.own.arg(), (&atoms.status).into(), atoms.step.into()];
        self.passes.iter().try_for_each(|(kernel, table)| over_pages(kernel, table, atoms, neighbor, &rest))
    }

    /// MADE_ARGUMENT of cl/force/pair_inputs.cl.
    pub(in crate::engine) fn args(&self) -> [Arg<'_>; 2] {
        [self.made.arg(), self.own.arg()]
    }
}
