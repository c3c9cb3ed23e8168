//! Sums that fixes make over all atoms when the forces of a step are known (cl/analysis/fix_sums.cl).

use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, FIX_SUMS};
use crate::engine::neighbor::Neighbor;
use crate::gpu::record::Section;
use crate::gpu::source::File;
use crate::gpu::{Arg, Defines, Kernel};

/// Up to so many atoms one work-group adds up in about the time that another launch takes.
const FEW: usize = 2048;

/// The kernels that make some sums, and where the sums of groups go.
pub struct Measure {
    kernel: Kernel,
    of_atoms: Kernel,
    add: Kernel,
    partial: Floats,
    sums: usize,
    groups: usize,
    local: usize,
}

impl Measure {
    /// For the functions of these files, called as `stages` defines, with so many sums, of which those from a place on are asked for, which
    /// may follow from the number `which` of a launch; `name` is the kernel's.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        context: &Context,
        files: &[File],
        stages: &Defines,
        all: usize,
        (first, sums): (String, usize),
        name: &'static str,
    ) -> Result<Self> {
        let stages = stages.clone().set("MEASURE_KERNEL", name);
        let defines = stages.set("MEASURE", 1).set("ALL_SUMS", all);
        let defines = defines.set("FIRST_SUM", first).set("SUMS", sums);
        let program = context.program_with(&[files, &[FIX_SUMS]].concat(), &defines)?;
        let groups = context.shape.reduce_groups;
        Ok(Measure {
            kernel: program.kernel(name)?,
            of_atoms: program.kernel("measure_atoms_of_fixes")?,
            add: program.kernel("add_groups")?,
            partial: Floats::new(&context.gpu, "sums of fixes", groups * sums, context.numerics.wide())?,
            sums,
            groups,
            local: context.shape.reduce_local,
        })
    }

    /// The sums at a step whose forces are not changed yet; `atom_args` are its ATOM_ARGUMENTS.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(
        &self,
        atom_args: &[Arg<'_>],
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        step: u32,
    ) -> Result<Vec<f64>> {
        self.launch(self.groups, (&self.partial, 0, 0), atom_args, atoms, neighbor, step)?;
        let partial = self.partial.read_agreed(Section::Modify, self.groups * self.sums)?;
        let mut total = vec![0.0; self.sums];
        for group in partial.chunks_exact(self.sums) {
            total.iter_mut().zip(group).for_each(|(total, x)| *total += x);
        }
        Ok(total)
    }

    /// What each atom adds to them, atom by atom.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn of_atoms(
        &self,
        atom_args: &[Arg<'_>],
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        step: u32,
    ) -> Result<Vec<f64>> {
        let (context, count) = (&atoms.context, (self.sums * atoms.n).max(1));
        let out = Floats::new(&context.gpu, "sums of atoms", count, context.numerics.wide())?;
        let rest = [
            atoms.force.arg(),
            (&neighbor.cells().box_buffer).into(),
            out.arg(),
            (&atoms.status).into(),
            step.into(),
            Arg::U32(atoms.n as u32),
        ];
        let args = [atom_args, &rest].concat();
        self.of_atoms.launch_each(Section::Modify, atoms.n, context.shape.local, &args)?;
        out.read_agreed(Section::Modify, self.sums * atoms.n)
    }

    /// The same, of a number `which`, left on the device from a place of `out` on, without a wait.
    ///
    /// # Errors
    /// When the device fails.
    pub fn leave(
        &self,
        (out, first, which): (&Floats, usize, usize),
        atom_args: &[Arg<'_>],
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        step: u32,
    ) -> Result<()> {
        if atoms.n <= FEW.min(2 * self.groups * self.local) {
            return self.launch(1, (out, first, which), atom_args, atoms, neighbor, step);
        }
        self.launch(self.groups, (&self.partial, 0, which), atom_args, atoms, neighbor, step)?;
        let [first, groups] = [first, self.groups].map(|count| Arg::U32(count as u32));
        let args = [self.partial.arg(), out.arg(), first, groups];
        self.add.launch(Section::Modify, self.local, self.local, &args)
    }

    fn launch(
        &self,
        groups: usize,
        (out, first, which): (&Floats, usize, usize),
        atom_args: &[Arg<'_>],
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        step: u32,
    ) -> Result<()> {
        let rest = [
            atoms.force.arg(),
            (&neighbor.cells().box_buffer).into(),
            out.arg(),
            Arg::U32(first as u32),
            (&atoms.status).into(),
            step.into(),
            Arg::U32(atoms.n as u32),
            Arg::U32(which as u32),
        ];
        let args = [atom_args, &rest].concat();
        self.kernel.launch(Section::Modify, groups * self.local, self.local, &args)
    }
}
