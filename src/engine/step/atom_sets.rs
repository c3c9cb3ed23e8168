//! Sums over sets of atoms, with which a fix goes on in each step, each set by itself (cl/step/sets.cl).

use super::device_coupling::Ends;
use super::fix_program::AtomSets;
use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{COUPLING, Context, SETS};
use crate::engine::timing::ADVANCE_SETS;
use crate::gpu::record::Section;
use crate::gpu::source::File;
use crate::gpu::{Arg, Buffer, Defines, Kernel, Program};

/// Atoms of a set up to which one work-item adds them up.
const FEW: u32 = 32;

/// Work-items that share a larger one, on GPUs.
const LANES: usize = 128;

/// The kernel for the sets, and where the atoms of each begin among those of all.
pub(super) struct SetSums {
    advance: Kernel,
    first: Buffer<u32>,
    count: usize,
    lanes: usize,
}

impl SetSums {
    /// For these, with the functions of these files; and the program that has its kernels.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(
        context: &Context,
        sets: &AtomSets,
        files: &[File],
        defines: &Defines,
    ) -> Result<(Self, Program)> {
        let largest = sets.first.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        let lanes = match context.shape.reduce_local {
            local if local > 1 && largest > FEW => local.min(LANES),
            _ => 1,
        };
        let defines = defines.clone().set("SET_LANES", lanes);
        let program = context.program_with(&[files, &[SETS, COUPLING]].concat(), &defines)?;
        let first = context.gpu.buffer("sets of atoms", sets.first.len())?;
        first.write(Section::Modify, 0, &sets.first)?;
        let count = sets.first.len() - 1;
        Ok((SetSums { advance: program.kernel(ADVANCE_SETS)?, first, count, lanes }, program))
    }

    /// What the kernel of several steps is specialised by besides: CPUs alone make several.
    pub(super) fn define(&self, defines: Defines) -> Defines {
        defines.set("SET_LANES", self.lanes)
    }

    /// Where they begin, how many they are, and how many lists have been built.
    pub(super) fn args(&self, builds: u64) -> [Arg<'_>; 3] {
        [(&self.first).into(), Arg::U32(self.count as u32), Arg::U32(builds as u32)]
    }

    /// Goes on with what is remembered, as [`super::device_coupling::Feedback::advance`] has it.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn advance(
        &self,
        atoms: &DeviceAtoms,
        builds: u64,
        measured: &Floats,
        [parameters, memory]: [&Floats; 2],
        [row, next]: [u32; 2],
        ends: Ends,
    ) -> Result<()> {
        let [first, count, builds] = self.args(builds);
        let rest = [
            measured.arg(),
            Arg::U32(atoms.capacity as u32),
            first,
            count,
            builds,
            parameters.arg(),
            Arg::U32(row),
            Arg::U32(next),
            memory.arg(),
        ];
        let args = [&rest[..], &ends.args(atoms)].concat();
        match self.lanes {
            1 => self.advance.launch_each(Section::Modify, self.count, atoms.context.shape.local, &args),
            lanes => self.advance.launch(Section::Modify, self.count * lanes, lanes, &args),
        }
    }
}
