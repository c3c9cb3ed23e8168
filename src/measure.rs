//! Sums that fixes make over all atoms when the forces of a step are known (cl/measure.cl).

use crate::error::Result;
use crate::gpu::{Arg, Defines, Kernel};
use crate::kernels::{Context, File, MEASURE};
use crate::neighbor::Neighbor;
use crate::resident::{Floats, Resident};
use crate::timing::Section;

/// The measuring kernel of a run, and where its group results go.
pub struct Measure {
    kernel: Kernel,
    partial: Floats,
    sums: usize,
    groups: usize,
    local: usize,
}

impl Measure {
    /// For the functions of these files, called as `stages` defines, with so many sums.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, files: &[File], stages: &Defines, sums: usize) -> Result<Self> {
        let defines = stages.clone().set("MEASURE", 1).set("SUMS", sums);
        let program = context.program_with(&[files, &[MEASURE]].concat(), &defines)?;
        let groups = context.shape.reduce_groups;
        Ok(Measure {
            kernel: program.kernel("measure_fixes")?,
            partial: Floats::new(&context.gpu, "sums of fixes", groups * sums, context.numerics.wide())?,
            sums,
            groups,
            local: context.shape.reduce_local,
        })
    }

    /// The sums at the current step, whose forces are not changed yet; `atom_args` are ATOM_ARGUMENTS.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(&self, atom_args: &[Arg<'_>], atoms: &Resident, neighbor: &Neighbor) -> Result<Vec<f64>> {
        let rest = [
            atoms.force.arg(),
            (&neighbor.cells().box_buffer).into(),
            self.partial.arg(),
            atoms.step.into(),
            Arg::U32(atoms.n as u32),
        ];
        let items = self.groups * self.local;
        self.kernel.launch(Section::Modify, items, self.local, &[atom_args, &rest].concat())?;
        let partial = self.partial.read(Section::Modify, self.groups * self.sums)?;
        let mut total = vec![0.0; self.sums];
        for group in partial.chunks_exact(self.sums) {
            total.iter_mut().zip(group).for_each(|(total, x)| *total += x);
        }
        Ok(total)
    }
}
