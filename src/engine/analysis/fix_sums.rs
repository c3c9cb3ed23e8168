//! Sums that fixes make over all atoms when the forces of a step are known (cl/analysis/fix_sums.cl).

use super::groups_with_atoms;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::comm::{Numbers, Shares, StepSums, SumShape};
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, FIX_SUMS};
use crate::engine::neighbor::Neighbor;
use crate::gpu::record::Section;
use crate::gpu::source::File;
use crate::gpu::{Arg, Defines, Kernel};
use std::ops::Range;

/// Up to so many atoms one work-group adds up in about the time that another launch takes.
const FEW: usize = 2048;

/// The kernels that make some sums, and where the sums of groups go.
pub struct Measure {
    kernel: Kernel,
    of_atoms: Kernel,
    add: Kernel,
    partial: Floats,
    shared: Option<Shared>,
    sums: usize,
    groups: usize,
    local: usize,
}

/// What ranks add up together, of which each knows its own atoms.
struct Shared {
    /// What atoms of parts that borders cut add to the sums.
    numbers: Floats,
    exchange: StepSums,
    add_cut: Kernel,
}

/// What the kernels read: ATOM_ARGUMENTS of a step, and which of alike fixes the sums are of.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// ATOM_ARGUMENTS.
    pub atom_args: &'a [Arg<'a>],
    /// The atoms.
    pub atoms: &'a DeviceAtoms,
    /// Where they are.
    pub neighbor: &'a Neighbor,
    /// The step.
    pub step: u32,
    /// The number of the fix among alike ones.
    pub which: usize,
}

impl Measure {
    /// For up to `n` atoms with the functions of these files, called as `stages` defines, with so many sums, of which those from a place on
    /// are asked for, which may follow from the number `which` of a launch; `name` is the kernel's. `amid_steps`: they are left on the device
    /// in each step, where ranks may know their own atoms alone.
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
        (n, amid_steps): (usize, bool),
    ) -> Result<Self> {
        let stages = stages.clone().set("MEASURE_KERNEL", name);
        let defines = stages.set("MEASURE", 1).set("ALL_SUMS", all);
        let defines = defines.set("FIRST_SUM", first).set("SUMS", sums);
        let program = context.program_with(&[files, &[FIX_SUMS]].concat(), &defines)?;
        let (groups, wide) = (context.shape.reduce_groups, context.numerics.wide());
        let shared = || -> Result<Shared> {
            let told = (2 * ranks::count() * n.div_ceil(groups) + groups).max(FEW);
            Ok(Shared {
                numbers: Floats::new(&context.gpu, "numbers of atoms", sums * n, wide)?,
                exchange: StepSums::new(context, sums, told)?,
                add_cut: program.kernel("add_cut")?,
            })
        };
        Ok(Measure {
            kernel: program.kernel(name)?,
            of_atoms: program.kernel("measure_atoms_of_fixes")?,
            add: program.kernel("add_groups")?,
            partial: Floats::new(&context.gpu, "sums of fixes", groups * sums, wide)?,
            shared: (amid_steps && ranks::count() > 1).then(shared).transpose()?,
            sums,
            groups,
            local: context.shape.reduce_local,
        })
    }

    /// The sums at a step whose forces are not changed yet.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sums(&self, measured: Measured<'_>) -> Result<Vec<f64>> {
        let groups = groups_with_atoms(measured.atoms.n, self.groups);
        self.launch(0..groups, groups, (&self.partial, 0), measured)?;
        let partial = self.partial.read_agreed(Section::Modify, groups * self.sums)?;
        Ok(partial.chunks_exact(groups).map(|parts| parts.iter().fold(0.0, |sum, x| sum + x)).collect())
    }

    /// What each atom adds to them, atom by atom.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn of_atoms(&self, measured: Measured<'_>) -> Result<Vec<f64>> {
        let (context, n) = (&measured.atoms.context, measured.atoms.n);
        let out =
            Floats::new(&context.gpu, "sums of atoms", (self.sums * n).max(1), context.numerics.wide())?;
        self.launch_atoms(0..n, (&out, n), measured)?;
        let rows = out.read_agreed(Section::Modify, self.sums * n)?;
        Ok((0..n).flat_map(|i| (0..self.sums).map(move |k| k * n + i)).map(|place| rows[place]).collect())
    }

    /// The same sums, left on the device from a place of `out` on, without a wait.
    ///
    /// # Errors
    /// When the device fails.
    pub fn leave(&self, (out, first): (&Floats, usize), measured: Measured<'_>) -> Result<()> {
        let n = measured.atoms.n;
        let groups = if n <= FEW.min(2 * self.groups * self.local) { 1 } else { self.groups };
        match (measured.neighbor.own_shares(), &self.shared) {
            (Some(shares), Some(shared)) => self.add_parts(shares, shared, groups, measured)?,
            _ if groups == 1 => return self.launch(0..1, 1, (out, first), measured),
            _ => self.launch(0..groups, groups, (&self.partial, 0), measured)?,
        }
        let [first, groups] = [first, groups].map(|count| Arg::U32(count as u32));
        let args = [self.partial.arg(), out.arg(), first, groups];
        self.add.launch(Section::Modify, self.local, self.local, &args)
    }

    /// The sums of all parts, where each rank knows its own atoms.
    fn add_parts(
        &self,
        shares: &Shares,
        shared: &Shared,
        groups: usize,
        measured: Measured<'_>,
    ) -> Result<()> {
        let Measured { atoms, .. } = measured;
        let shape = SumShape { share: atoms.n.div_ceil(groups).max(1), groups };
        let (own, is_last) = (shares.own(), ranks::rank() + 1 == ranks::count());
        self.launch(shape.whole(&own, is_last), groups, (&self.partial, 0), measured)?;
        for cut in shape.cut(&own, is_last) {
            self.launch_atoms(cut, (&shared.numbers, atoms.capacity), measured)?;
        }
        let told = Numbers { atoms: (&shared.numbers, atoms.capacity), parts: (&self.partial, groups) };
        atoms.context.gpu.host(Section::Comm, || shared.exchange.exchange(shares, atoms, told, shape))?;
        let [stride, n, groups] = [atoms.capacity, atoms.n, groups].map(|count| Arg::U32(count as u32));
        let args = [shared.numbers.arg(), stride, self.partial.arg(), n, groups, shares.ends().into()];
        shared.add_cut.launch(Section::Modify, (ranks::count() - 1) * self.local, self.local, &args)
    }

    /// Some of so many parts of the atoms, whose sums go behind a place of `out`.
    fn launch(
        &self,
        parts: Range<usize>,
        groups: usize,
        (out, first): (&Floats, usize),
        Measured { atom_args, atoms, neighbor, step, which }: Measured<'_>,
    ) -> Result<()> {
        if parts.is_empty() {
            return Ok(());
        }
        let [first, n, which, groups, begin] =
            [first, atoms.n, which, groups, parts.start].map(|count| Arg::U32(count as u32));
        let place = [atoms.force.arg(), (&neighbor.cells().box_buffer).into(), out.arg(), first];
        let rest = [(&atoms.status).into(), step.into(), n, which, groups, begin];
        let args = [atom_args, &place, &rest].concat();
        self.kernel.launch(Section::Modify, parts.len() * self.local, self.local, &args)
    }

    /// What each of some atoms adds, in rows `stride` apart.
    fn launch_atoms(
        &self,
        some: Range<usize>,
        (out, stride): (&Floats, usize),
        Measured { atom_args, atoms, neighbor, step, which }: Measured<'_>,
    ) -> Result<()> {
        let [stride, begin, end, which] =
            [stride, some.start, some.end, which].map(|count| Arg::U32(count as u32));
        let place = [atoms.force.arg(), (&neighbor.cells().box_buffer).into(), out.arg(), stride];
        let rest = [(&atoms.status).into(), step.into(), begin, end, which];
        let args = [atom_args, &place, &rest].concat();
        self.of_atoms.launch_each(Section::Modify, some.len(), atoms.context.shape.local, &args)
    }
}
