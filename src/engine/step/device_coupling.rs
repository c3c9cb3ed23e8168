//! The part of a step that needs the whole system, on the device (cl/step/coupling.cl).

use super::StepKernels;
use super::arguments::{Over, over_pages};
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
use crate::gpu::{Arg, Defines, Kernel};
use crate::model::domain::Domain;
use std::ops::Range;

/// Atoms of a block on CPUs.
const BLOCK: usize = 128;

/// Atoms of a part at most, where groups add up parts: of those that ranks' borders cut, all ranks learn the numbers of each atom.
const MOST_OF_PART: usize = 2048;

/// The kernels for a fix's part, and the numbers of atoms and groups that it adds up.
pub(super) struct Feedback {
    /// The fix's place in the script.
    pub(super) place: usize,
    /// Whether it moves the box, by virials.
    pub(super) moves_box: bool,
    /// How many sums it makes.
    pub(super) sums: usize,
    measure: Kernel,
    gather: Kernel,
    gather_cut: Kernel,
    advance: Kernel,
    /// Where it moves the box: for faces that the host moves.
    faces: Option<Kernel>,
    /// Where ranks share the atoms.
    of_ranks: Option<StepSums>,
    /// The numbers of the atoms; where groups make several steps in a launch, the sums of these then, or behind them.
    pub(super) measured: Floats,
    partial: Floats,
    /// How many numbers the fix remembers.
    remembered: usize,
    /// Where the places for that begin which groups have that make several steps in a launch, and how many these are.
    pub(super) spare: u32,
    places: usize,
    by: By,
    /// Work-items of the group that goes on with what is remembered, and of those that add up before.
    one: usize,
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

/// Which ends of steps a launch makes.
#[derive(Clone, Copy)]
pub(super) enum Ends {
    /// That of the current step.
    After,
    /// What comes before the current step.
    Before,
    /// The end of the step before, and what comes before the current one.
    Both,
}

impl Feedback {
    /// For up to `n` atoms with the functions of these files, called as `stages` say; `None` where no fix has such a part. `several`
    /// says whether whole steps may share a launch.
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
    ) -> Result<Option<Self>> {
        let Some(place) = stages.feedback else { return Ok(None) };
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
        Ok(Some(Feedback {
            place,
            moves_box: stages.moves_box,
            sums: stages.feedback_sums,
            measure: program.kernel("measure_atoms")?,
            gather: program.kernel(GATHER_MEASURED)?,
            gather_cut: program.kernel("gather_cut")?,
            of_ranks,
            advance: program.kernel("advance_feedback")?,
            faces: stages.moves_box.then(|| program.kernel("set_faces")).transpose()?,
            measured: Floats::new(gpu, "measured of atoms", stages.feedback_sums * (n + groups), wide)?,
            partial: Floats::new(gpu, "measured of groups", (stages.feedback_sums * groups).max(1), wide)?,
            remembered: stages.remembered,
            spare: stages.memory.len() as u32,
            places,
            by,
            one,
            local,
        }))
    }

    /// What the kernel of several steps is specialised by besides.
    pub(super) fn define(&self, defines: Defines) -> Defines {
        let defines = defines.set("FEEDBACK_LOCAL", self.one);
        match self.by {
            By::Blocks(block) => defines.set("FEEDBACK_BLOCK", block),
            By::Groups(..) => defines,
        }
    }

    /// Local memory that the kernel of several steps adds them up in, with so many atoms of a work-group.
    pub(super) fn local_bytes(&self, atoms: usize) -> usize {
        self.sums * (atoms + self.one) * size_of::<f64>()
    }

    /// Numbers in the places that its groups have, behind what fixes remember.
    pub(super) fn spare(&self) -> usize {
        (self.places * self.remembered).max(1)
    }

    /// The numbers of the atoms as they are; `args` are ATOM_ARGUMENTS, forces, box and tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn measure(&self, args: &[Arg<'_>], atoms: &DeviceAtoms, moved: Range<usize>) -> Result<()> {
        let [stride, begin, end] = [atoms.capacity, moved.start, moved.end].map(|n| Arg::U32(n as u32));
        let rest = [self.measured.arg(), atoms.step.into(), stride, begin, end];
        let local = atoms.context.shape.local;
        self.measure.launch_each(Section::Modify, moved.len(), local, &[args, &rest].concat())
    }

    /// Adds up the numbers of the atoms of each part. Where ranks know their own atoms alone, they tell one another what they have of them.
    fn add_parts(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, parts: Option<SumShape>) -> Result<()> {
        let shares = neighbor.own_shares();
        let each = SumShape { share: 1, groups: atoms.n };
        let shape = parts.unwrap_or(each);
        let add = |kernel: &Kernel, count: usize, of: Arg<'_>| {
            let words = [atoms.capacity, shape.share, atoms.n, shape.groups].map(|n| Arg::U32(n as u32));
            let args = [&[self.measured.arg(), self.partial.arg()][..], &words, &[of]].concat();
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
        let of_atoms = (&self.measured, atoms.capacity);
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
        [parameters, memory]: [&Floats; 2],
        [row, next]: [u32; 2],
        ends: Ends,
    ) -> Result<()> {
        let (after, before) = match ends {
            Ends::After => (true, false),
            Ends::Before => (false, true),
            Ends::Both => (true, true),
        };
        let parts = self.by.parts(atoms.n, self.sums);
        if after {
            self.add_parts(atoms, neighbor, parts)?;
        }
        let (numbers, stride, count) = match parts.filter(|_| after) {
            Some(SumShape { groups, .. }) => (&self.partial, groups, groups),
            None => (&self.measured, atoms.capacity, atoms.n),
        };
        let [lo, hi] = neighbor.corners_at_build().map(Arg::F64x4);
        let args = [
            numbers.arg(),
            Arg::U32(stride as u32),
            parameters.arg(),
            Arg::U32(row),
            Arg::U32(next),
            memory.arg(),
            (&neighbor.cells().box_buffer).into(),
            lo,
            hi,
            (&atoms.status).into(),
            // A halt at the step that is to begin is one of positions that have moved already.
            Arg::U32(if before { atoms.step - 1 } else { atoms.step }),
            i32::from(after).into(),
            i32::from(before).into(),
            Arg::U32(count as u32),
        ];
        self.advance.launch(Section::Modify, self.one, self.one, &args)
    }

    /// At the end of the current step faces across axes on which the boxes differ come to where they are in the latter.
    fn set_faces(
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

    /// What the fix remembers, out of the memory of all fixes, where it comes first.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn numbers(&self, memory: &Floats) -> Result<Vec<f64>> {
        memory.read_agreed(Section::Modify, self.remembered)
    }
}

impl StepKernels {
    /// Goes on with what the fix of the feedback remembers.
    pub(super) fn feed_back(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, ends: Ends) -> Result<()> {
        let Some(feedback) = &self.feedback else { return Ok(()) };
        let (parameters, step) = (&self.parameters, atoms.step);
        let rows = match ends {
            Ends::After | Ends::Before => [parameters.row(step); 2],
            Ends::Both => [parameters.row(step - 1), parameters.row(step)],
        };
        feedback.advance(atoms, neighbor, [&parameters.buffer, &self.memory], rows, ends)
    }

    /// The first launch of a whole step with feedback: the forces of `atoms.step`, kicks, and what atoms add to the sums; in
    /// launches of their own where functions go on with sums, or where they are to be `apart`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn kick(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, apart: bool) -> Result<()> {
        let Some(feedback) = &self.feedback else { return Ok(()) };
        if apart || self.pre_force_sums() > 0 || ranks::count() > 1 && !neighbor.partial {
            self.forces(atoms, neighbor, feedback.moves_box)?;
            self.end(atoms, neighbor)?;
            return self.measure_for(feedback, atoms, neighbor);
        }
        if let (Some((_, phases)), true) = (neighbor.phases(), neighbor.begun.take() == Some(atoms.step)) {
            self.forces_over(Over::Blocks(&phases.border), atoms, neighbor, feedback.moves_box)?;
            self.end(atoms, neighbor)?;
            return self.measure_for(feedback, atoms, neighbor);
        }
        let rest = [atoms.force.arg(), feedback.measured.arg(), (&atoms.status).into(), atoms.step.into()];
        let seen = self.pair_input_args(atoms, neighbor);
        let rest = [&seen[..], &self.atom_args(atoms, atoms.step)[..], &rest].concat();
        let rest = [rest, self.molecule_args(atoms, neighbor)].concat();
        self.pass(atoms, neighbor, feedback.moves_box)?;
        if self.has_near_room() {
            self.halt_together(atoms, neighbor)?;
        }
        over_pages(&self.whole, self.over, &self.table, atoms, neighbor, &rest)
    }

    /// Behind a move of its atoms has other ranks know where they are, while the device begins with the forces of `atoms.step`: of blocks
    /// that are not near borders. Where it can: says whether it did.
    pub(super) fn tell_beside_forces(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<bool> {
        let alone = self.has_one_pass() && self.pre_force_sums() == 0;
        let Some(feedback) = self.feedback.as_ref().filter(|_| alone) else { return Ok(false) };
        let Some((shares, phases)) = neighbor.phases().filter(|_| !neighbor.due(atoms.step)) else {
            return Ok(false);
        };
        let interior =
            || self.forces_over(Over::Blocks(&phases.interior), atoms, neighbor, feedback.moves_box);
        let halt = atoms
            .context
            .gpu
            .host_beside(Section::Comm, || shares.tell_meanwhile(&atoms.packed, atoms, false, interior))?;
        neighbor.told.set(halt.map(|halt| (atoms.step, halt)));
        neighbor.begun.set(Some(atoms.step));
        Ok(true)
    }

    /// What atoms add to the sums at `atoms.step`, whose kicks are done.
    fn measure_for(&self, feedback: &Feedback, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        let rest = [atoms.force.arg(), (&neighbor.cells().box_buffer).into(), self.tally.arg()];
        let args = [&self.atom_args(atoms, atoms.step)[..], &rest].concat();
        feedback.measure(&args, atoms, neighbor.moved(atoms))
    }

    /// What follows it, up to the forces of the next step, which is `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn_by_feedback(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.feed_back(atoms, neighbor, Ends::Both)?;
        self.turn(atoms, neighbor)
    }

    /// The same in two parts, between which the host may move faces of a box that the fix moves across other axes: what ends the step,
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_by_feedback(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.feed_back(atoms, neighbor, Ends::After)
    }

    /// and what begins the next one, which is `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn begin_by_feedback(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.feed_back(atoms, neighbor, Ends::Before)?;
        self.turn(atoms, neighbor)
    }

    /// Where the fix of the feedback moves the box: at the end of the current step faces across axes on which these boxes differ come to
    /// where they are in the latter.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_faces(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, boxes: [&Domain; 2]) -> Result<()> {
        self.feedback.as_ref().map_or(Ok(()), |feedback| feedback.set_faces(atoms, neighbor, boxes))
    }

    /// The end of `atoms.step` for the fix of the feedback; nothing without feedback.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_feedback(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        let Some(feedback) = &self.feedback else { return Ok(()) };
        self.measure_for(feedback, atoms, neighbor)?;
        self.feed_back(atoms, neighbor, Ends::After)?;
        self.end_of_step(atoms, neighbor, feedback.place)
    }

    /// What the fix of the feedback remembers now; nothing without feedback.
    ///
    /// # Errors
    /// When the device fails.
    pub fn feedback(&self) -> Result<Vec<f64>> {
        self.feedback.as_ref().map_or(Ok(Vec::new()), |feedback| feedback.numbers(&self.memory))
    }

    /// Sets what the fix of the feedback remembers.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_feedback(&self, numbers: &[f64]) -> Result<()> {
        self.memory.write(Section::Modify, numbers)
    }

    /// Whether each step needs feedback: then it is made in several launches, or many in one.
    pub fn feeds_back(&self) -> bool {
        self.feedback.is_some()
    }

    /// How many numbers of each atom the fix of the feedback adds up; 0 without feedback.
    pub fn measured(&self) -> usize {
        self.feedback.as_ref().map_or(0, |feedback| feedback.sums)
    }

    /// Whether the fix of the feedback moves the box, by tallies.
    pub fn moves_box(&self) -> bool {
        self.feedback.as_ref().is_some_and(|feedback| feedback.moves_box)
    }
}
