//! What the fixes add up over all atoms: for the host, and for their own functions.

use super::StepKernels;
use super::stages::{Stages, Total};
use crate::base::error::Result;
use crate::engine::analysis::fix_sums::Measure;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::Context;
use crate::engine::neighbor::Neighbor;
use crate::engine::timing::LEAVE_TOTALS;
use crate::gpu::Defines;
use crate::gpu::source::File;

/// The kernels for that.
pub(super) struct Sums {
    /// All sums, for the host.
    all: Option<Measure>,
    /// Those that functions of fixes go on with in the same step, with their place in the memory of fixes.
    totals: Vec<(Measure, Vec<usize>)>,
}

impl Sums {
    /// For the functions of these files, called as `stages` say.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(context: &Context, stages: &Stages, files: &[File], defines: &Defines) -> Result<Self> {
        let make = |defines: &Defines, asked, name: &'static str| {
            Measure::new(context, files, defines, stages.sums, asked, name)
        };
        let total = |total: &Total| {
            let defines = defines.clone().set("FORCE_STAGES(a, h)", &total.calls);
            let places = (0..total.count).map(|which| total.memory(which)).collect();
            Ok((make(&defines, (total.first_sum(), total.sums), LEAVE_TOTALS)?, places))
        };
        Ok(Sums {
            all: (stages.sums > 0)
                .then(|| make(defines, ("0".to_owned(), stages.sums), "measure_fixes"))
                .transpose()?,
            totals: stages.totals.iter().map(total).collect::<Result<_>>()?,
        })
    }
}

impl StepKernels {
    /// What the fixes add up at `atoms.step`, one after another; its forces are not changed yet.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<Vec<f64>> {
        let step = atoms.step;
        self.leave_totals(atoms, neighbor, step)?;
        let all = self.sums.all.as_ref();
        all.map_or(Ok(Vec::new()), |all| all.sums(&self.atom_args(atoms, step), atoms, neighbor, step))
    }

    /// What each atom adds to these, atom by atom.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn measure_atoms(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<Vec<f64>> {
        let (step, all) = (atoms.step, self.sums.all.as_ref());
        all.map_or(Ok(Vec::new()), |all| all.of_atoms(&self.atom_args(atoms, step), atoms, neighbor, step))
    }

    /// How many sums over all atoms functions of fixes go on with amid a step: launches of their own, or a part of those that one
    /// work-item makes several steps in.
    pub fn totals(&self) -> usize {
        self.sums.totals.iter().map(|(_, places)| places.len()).sum()
    }

    /// Before the forces of a step change: the sums that functions of fixes go on with. What comes first in the script
    /// changes what the next one adds up.
    pub(super) fn leave_totals(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, step: u32) -> Result<()> {
        for (measure, places) in &self.sums.totals {
            for (which, place) in places.iter().enumerate() {
                let to = (&self.memory, *place, which);
                measure.leave(to, &self.atom_args(atoms, step), atoms, neighbor, step)?;
            }
        }
        Ok(())
    }
}
