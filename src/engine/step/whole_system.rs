//! Sums over all atoms that a fix goes on with in each step (cl/step/coupling.cl).

use super::device_coupling::Ends;
use super::stages::Stages;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::comm::{Numbers, StepSums, SumShape};
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{COUPLING, COUPLING_SUMS, Context};
use crate::engine::neighbor::Neighbor;
use crate::engine::timing::GATHER_MEASURED;
use crate::gpu::record::Section;
use crate::gpu::source::File;
use crate::gpu::{Arg, Defines, Kernel, Program};
use crate::model::domain::Domain;

/// Atoms of a block on CPUs.
const BLOCK: usize = 128;

/// Atoms of a part at most, where groups add up parts: of those that ranks' borders cut, all ranks learn the numbers of each atom.
const MOST_OF_PART: usize = 2048;

/// The kernels for the sums over all atoms, and the numbers of groups that they add up.
pub(super) struct WholeSums {
    /// How many sums these are.
    sums: usize,
    gather: Kernel,
    gather_cut: Kernel,
    advance: Kernel,
    /// Where the fix moves the box: for faces that the host moves.
    faces: Option<Kernel>,
    /// Where ranks share the atoms.
    of_ranks: Option<StepSums>,
    partial: Floats,
    /// Parts in which the atoms are added up, at most.
    pub(super) groups: usize,
    /// Where the places for what is remembered begin which groups have that make several steps in a launch, and how many these are.
    pub(super) spare: u32,
    pub(super) places: usize,
    by: By,
    /// Work-items of the group that goes on with what is remembered, and of those that add up before.
    pub(super) one: usize,
    local: usize,
}

/// Who adds up the numbers of the atoms: the same whether a launch makes several steps or a part of one.
#[derive(Clone, Copy)]
enum By {
    /// Each group those of so many atoms, then one group: as where groups make whole steps.
    Blocks(usize),
    /// One group, and more numbers than so many before that so many groups, in a launch more.
    Groups(usize, usize),
}

impl By {
    /// The parts in which so many atoms are added up; `None`: one group adds up all.
    fn parts(self, atoms: usize, sums: usize) -> Option<SumShape> {
        match self {
            By::Blocks(share) => Some(SumShape { share, groups: atoms.div_ceil(share) }),
            By::Groups(many, groups) if sums * atoms > many => {
                let groups = groups.max(atoms.div_ceil(MOST_OF_PART));
                Some(SumShape { share: atoms.div_ceil(groups), groups })
            }
            By::Groups(..) => None,
        }
    }
}

impl WholeSums {
    /// For up to `n` atoms with the functions of these files, called as `stages` say, and the program that has its kernels. `several` says
    /// whether whole steps may share a launch.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(
        context: &Context,
        stages: &Stages,
        files: &[File],
        defines: &Defines,
        n: usize,
        several: bool,
    ) -> Result<(Self, Program)> {
        let (gpu, shape) = (&context.gpu, context.shape);
        let (by, one, local) = match several {
            // The same for any number of cores.
            _ if shape.clusters => (By::Blocks(BLOCK), 1, 1),
            true if shape.gated() => {
                let block = shape.pair_local / shape.lanes;
                (By::Blocks(block), shape.pair_local, block)
            }
            // One on CPUs, as for the other sums; else a large one, as it is alone.
            _ => {
                let one = match shape.reduce_local {
                    1 => 1,
                    _ => 1 << gpu.common().max_work_group.min(256).ilog2(),
                };
                let many = 2 * shape.reduce_groups * shape.reduce_local;
                (By::Groups(many, shape.reduce_groups), one, shape.reduce_local)
            }
        };
        let places = match by {
            By::Blocks(_) => shape.groups_of_several(n),
            By::Groups(..) => 0,
        };
        // How many parts there may be, and how many atoms that one group adds up without parts.
        let (groups, single) = match by {
            By::Blocks(block) => (n.div_ceil(block), 0),
            By::Groups(many, groups) => (groups.max(n.div_ceil(MOST_OF_PART)), many.min(n)),
        };
        let defines = defines.clone().set("FEEDBACK_LOCAL", one).set("GATHER_LOCAL", local);
        let program = context.program_with(&[files, &[COUPLING_SUMS, COUPLING]].concat(), &defines)?;
        let wide = context.numerics.wide();
        let told = 2 * MOST_OF_PART * ranks::count() + groups.max(single);
        let of_ranks =
            (ranks::count() > 1).then(|| StepSums::new(context, stages.feedback_sums, told)).transpose()?;
        let whole = WholeSums {
            sums: stages.feedback_sums,
            gather: program.kernel(GATHER_MEASURED)?,
            gather_cut: program.kernel("gather_cut")?,
            of_ranks,
            advance: program.kernel("advance_feedback")?,
            faces: stages.moves_box.then(|| program.kernel("set_faces")).transpose()?,
            partial: Floats::new(gpu, "measured of groups", (stages.feedback_sums * groups).max(1), wide)?,
            groups,
            spare: stages.memory.len() as u32,
            places,
            by,
            one,
            local,
        };
        Ok((whole, program))
    }

    /// What the kernel of several steps is specialised by besides.
    pub(super) fn define(&self, defines: Defines) -> Defines {
        let defines = defines.set("FEEDBACK_LOCAL", self.one);
        match self.by {
            By::Blocks(block) => defines.set("FEEDBACK_BLOCK", block),
            By::Groups(..) => defines,
        }
    }

    /// Adds up the numbers of the atoms of each part. Where ranks know their own atoms alone, they tell one another what they have of them.
    fn add_parts(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        measured: &Floats,
        parts: Option<SumShape>,
    ) -> Result<()> {
        let shares = neighbor.own_shares();
        let each = SumShape { share: 1, groups: atoms.n };
        let shape = parts.unwrap_or(each);
        let add = |kernel: &Kernel, count: usize, of: Arg<'_>| {
            let words = [atoms.capacity, shape.share, atoms.n, shape.groups].map(|n| Arg::U32(n as u32));
            let args = [&[measured.arg(), self.partial.arg()][..], &words, &[of]].concat();
            kernel.launch(Section::Modify, count * self.local, self.local, &args)
        };
        if parts.is_some() {
            let is_last = ranks::rank() + 1 == ranks::count();
            let own = shares.map_or(0..shape.groups, |shares| shape.whole(&shares.own(), is_last));
            if !own.is_empty() {
                add(&self.gather, own.len(), Arg::U32(own.start as u32))?;
            }
        }
        let (Some(shares), Some(of_ranks)) = (shares, &self.of_ranks) else { return Ok(()) };
        let of_atoms = (measured, atoms.capacity);
        let of_parts = parts.map_or(of_atoms, |shape| (&self.partial, shape.groups));
        let told = Numbers { atoms: of_atoms, parts: of_parts };
        atoms.context.gpu.host(Section::Comm, || of_ranks.exchange(shares, atoms, told, shape))?;
        if parts.is_none() {
            return Ok(());
        }
        add(&self.gather_cut, ranks::count() - 1, shares.ends().into())
    }

    /// Goes on with what is remembered. `row` is where the parameters of the step begin that ends, `next` those of the one
    /// that begins.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn advance(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        measured: &Floats,
        [parameters, memory]: [&Floats; 2],
        [row, next]: [u32; 2],
        ends: Ends,
    ) -> Result<()> {
        let after = ends.after();
        let parts = self.by.parts(atoms.n, self.sums);
        if after {
            self.add_parts(atoms, neighbor, measured, parts)?;
        }
        let (numbers, stride, count) = match parts.filter(|_| after) {
            Some(SumShape { groups, .. }) => (&self.partial, groups, groups),
            None => (measured, atoms.capacity, atoms.n),
        };
        let [lo, hi] = neighbor.corners_at_build().map(Arg::F64x4);
        let rest = [
            numbers.arg(),
            Arg::U32(stride as u32),
            parameters.arg(),
            Arg::U32(row),
            Arg::U32(next),
            memory.arg(),
            (&neighbor.cells().box_buffer).into(),
            lo,
            hi,
        ];
        let args = [&rest[..], &ends.args(atoms), &[Arg::U32(count as u32)]].concat();
        self.advance.launch(Section::Modify, self.one, self.one, &args)
    }

    /// At the end of the current step faces across axes on which the boxes differ come to where they are in the latter.
    pub(super) fn set_faces(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        [before, after]: [&Domain; 2],
    ) -> Result<()> {
        let Some(faces) = &self.faces else { return Ok(()) };
        let moved = |d: &usize| (before.lo[*d], before.hi[*d]) != (after.lo[*d], after.hi[*d]);
        let corner = |[x, y, z]: [f64; 3]| Arg::F64x4([x, y, z, 0.0]);
        let [lo, hi] = neighbor.corners_at_build().map(Arg::F64x4);
        let args = [
            (&neighbor.cells().box_buffer).into(),
            corner(after.lo),
            corner(after.hi),
            Arg::U32((0..3).filter(moved).map(|d| 1 << d).sum()),
            lo,
            hi,
            (&atoms.status).into(),
            atoms.step.into(),
        ];
        faces.launch(Section::Comm, 1, 1, &args)
    }
}
