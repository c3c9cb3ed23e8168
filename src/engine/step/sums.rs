//! What the fixes add up over all atoms: for the host, and for their own functions.

use super::StepKernels;
use super::stages::{PreForceSum, Stages};
use crate::base::error::Result;
use crate::engine::analysis::fix_sums::{Measure, Measured};
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::Context;
use crate::engine::neighbor::Neighbor;
use crate::engine::timing::PRE_FORCE_SUMS;
use crate::gpu::Defines;
use crate::gpu::source::File;

/// The kernels for that.
pub(super) struct Sums {
    /// All sums, for the host.
    all: Option<Measure>,
    /// Those that functions of fixes go on with in the same step, with their place in the memory of fixes.
    pre_force_sums: Vec<(Measure, Vec<usize>)>,
}

impl Sums {
    /// For up to `n` atoms with the functions of these files, called as `stages` say.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(
        context: &Context,
        stages: &Stages,
        files: &[File],
        defines: &Defines,
        n: usize,
    ) -> Result<Self> {
        let make = |defines: &Defines, asked, name: &'static str, amid_steps| {
            Measure::new(context, files, defines, stages.sums, asked, name, (n, amid_steps))
        };
        let each = |sum: &PreForceSum| {
            let defines = defines.clone().set("FORCE_STAGES(a, h)", &sum.calls);
            let places = (0..sum.count).map(|which| sum.memory(which)).collect();
            Ok((make(&defines, (sum.first_sum(), sum.sums), PRE_FORCE_SUMS, true)?, places))
        };
        Ok(Sums {
            all: (stages.sums > 0)
                .then(|| make(defines, ("0".to_owned(), stages.sums), "measure_fixes", false))
                .transpose()?,
            pre_force_sums: stages.pre_force_sums.iter().map(each).collect::<Result<_>>()?,
        })
    }
}

impl StepKernels {
    /// What the fixes add up at `atoms.step`, one after another; its forces are not changed yet.
    ///
    /// # Errors
    /// When the device fails.
    pub fn measure(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<Vec<f64>> {
        let Some(all) = &self.sums.all else { return Ok(Vec::new()) };
        let step = atoms.step;
        self.launch_pre_force_sums(atoms, neighbor, step)?;
        all.sums(Measured { atom_args: &self.atom_args(atoms, step), atoms, neighbor, step, which: 0 })
    }

    /// What each atom adds to these, atom by atom.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn measure_atoms(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<Vec<f64>> {
        let Some(all) = &self.sums.all else { return Ok(Vec::new()) };
        let step = atoms.step;
        all.of_atoms(Measured { atom_args: &self.atom_args(atoms, step), atoms, neighbor, step, which: 0 })
    }

    /// How many sums over all atoms functions of fixes go on with amid a step: launches of their own, or a part of those that one
    /// work-item makes several steps in.
    pub fn pre_force_sums(&self) -> usize {
        self.sums.pre_force_sums.iter().map(|(_, places)| places.len()).sum()
    }

    /// Before the forces of a step change: the sums that functions of fixes go on with. What comes first in the script
    /// changes what the next one adds up.
    pub(super) fn launch_pre_force_sums(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        step: u32,
    ) -> Result<()> {
        for (measure, places) in &self.sums.pre_force_sums {
            for (which, place) in places.iter().enumerate() {
                let atom_args = &self.atom_args(atoms, step);
                let measured = Measured { atom_args, atoms, neighbor, step, which };
                measure.leave((&self.memory, *place), measured)?;
            }
        }
        Ok(())
    }
}
