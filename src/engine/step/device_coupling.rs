//! The part of a step that needs the whole system, or sets of atoms, on the device (cl/step/coupling.cl, cl/step/sets.cl).

use super::StepKernels;
use super::arguments::{Over, over_pages};
use super::atom_sets::SetSums;
use super::stages::Stages;
use super::whole_system::WholeSums;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{COUPLING_SUMS, Context, SETS};
use crate::engine::neighbor::Neighbor;
use crate::gpu::record::Section;
use crate::gpu::source::File;
use crate::gpu::{Arg, Defines, Kernel};
use crate::model::domain::Domain;
use std::ops::Range;

/// The kernels for a fix's part, and the numbers of atoms that it adds up.
pub(super) struct Feedback {
    /// The fix's place in the script.
    pub(super) place: usize,
    /// Whether it moves the box, by virials.
    pub(super) moves_box: bool,
    /// How many sums it makes.
    pub(super) sums: usize,
    measure: Kernel,
    /// The numbers of the atoms; where groups make several steps in a launch, the sums of these then, or behind them.
    measured: Floats,
    /// How many numbers the fix remembers.
    remembered: usize,
    over: Sums,
}

/// Over what these sums are.
enum Sums {
    /// All atoms.
    Whole(Box<WholeSums>),
    /// Sets of atoms, each by itself.
    Sets(SetSums),
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

impl Ends {
    /// Whether a step ends.
    pub(super) fn after(self) -> bool {
        !matches!(self, Ends::Before)
    }

    /// What kernels learn of them: the status, the step at which a halt leaves them nothing to do, and whether a step ends and one begins.
    pub(super) fn args(self, atoms: &DeviceAtoms) -> [Arg<'_>; 4] {
        let before = !matches!(self, Ends::After);
        // A halt at the step that is to begin is one of positions that have moved already.
        let halted = if before { atoms.step - 1 } else { atoms.step };
        [(&atoms.status).into(), Arg::U32(halted), i32::from(self.after()).into(), i32::from(before).into()]
    }
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
        let (over, program, rows) = match &stages.sets {
            Some(sets) => {
                let slots = sets.first.last().map_or(0, |last| *last as usize);
                let (sets, program) = SetSums::new(context, sets, files, defines)?;
                // Of atoms that are gone there are slots until somebody notices.
                (Sums::Sets(sets), program, n.max(slots))
            }
            None => {
                let (whole, program) = WholeSums::new(context, stages, files, defines, n, several)?;
                let rows = n + whole.groups;
                (Sums::Whole(Box::new(whole)), program, rows)
            }
        };
        let wide = context.numerics.wide();
        Ok(Some(Feedback {
            place,
            moves_box: stages.moves_box,
            sums: stages.feedback_sums,
            measure: program.kernel("measure_atoms")?,
            measured: Floats::new(&context.gpu, "measured of atoms", stages.feedback_sums * rows, wide)?,
            remembered: stages.remembered,
            over,
        }))
    }

    /// What the kernel of several steps is specialised by besides.
    pub(super) fn define(&self, defines: Defines) -> Defines {
        match &self.over {
            Sums::Whole(whole) => whole.define(defines),
            Sums::Sets(sets) => sets.define(defines),
        }
    }

    /// The file that goes on with sums in the kernel of several steps.
    pub(super) fn file(&self) -> File {
        match &self.over {
            Sums::Whole(_) => COUPLING_SUMS,
            Sums::Sets(_) => SETS,
        }
    }

    /// What that kernel gets besides the forces (FORCE_ARGUMENT), when so many lists have been built.
    pub(super) fn args(&self, builds: u64) -> Vec<Arg<'_>> {
        let measured = self.measured.arg();
        match &self.over {
            Sums::Whole(whole) => vec![measured, whole.spare.into()],
            Sums::Sets(sets) => [&[measured][..], &sets.args(builds)].concat(),
        }
    }

    /// Local memory that it adds up in, with so many atoms of a work-group.
    pub(super) fn local_bytes(&self, atoms: usize) -> usize {
        match &self.over {
            Sums::Whole(whole) => self.sums * (atoms + whole.one) * size_of::<f64>(),
            Sums::Sets(_) => 0,
        }
    }

    /// Numbers in the places that its groups have, behind what fixes remember.
    pub(super) fn spare(&self) -> usize {
        match &self.over {
            Sums::Whole(whole) => (whole.places * self.remembered).max(1),
            Sums::Sets(_) => 1,
        }
    }

    /// Whether it goes on with sets of atoms: each rank does so with all.
    pub(super) fn is_of_sets(&self) -> bool {
        matches!(self.over, Sums::Sets(_))
    }

    /// The numbers of the atoms as they are; `args` are ATOM_ARGUMENTS, forces, box and tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn measure(&self, args: &[Arg<'_>], atoms: &DeviceAtoms, moved: Range<usize>) -> Result<()> {
        let [stride, begin, end] = [atoms.capacity, moved.start, moved.end].map(|n| Arg::U32(n as u32));
        let rest = [self.measured.arg(), (&atoms.status).into(), atoms.step.into(), stride, begin, end];
        let local = atoms.context.shape.local;
        self.measure.launch_each(Section::Modify, moved.len(), local, &[args, &rest].concat())
    }

    /// Goes on with what is remembered. `rows` are where the parameters of the step begin that ends, and those of the one that begins.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn advance(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        numbers: [&Floats; 2],
        rows: [u32; 2],
        ends: Ends,
    ) -> Result<()> {
        match &self.over {
            Sums::Whole(whole) => whole.advance(atoms, neighbor, &self.measured, numbers, rows, ends),
            Sums::Sets(sets) => sets.advance(atoms, neighbor.builds(), &self.measured, numbers, rows, ends),
        }
    }

    /// At the end of the current step faces across axes on which the boxes differ come to where they are in the latter.
    fn set_faces(&self, atoms: &DeviceAtoms, neighbor: &Neighbor, boxes: [&Domain; 2]) -> Result<()> {
        match &self.over {
            Sums::Whole(whole) => whole.set_faces(atoms, neighbor, boxes),
            Sums::Sets(_) => Ok(()),
        }
    }

    /// What the fix remembers, out of the memory of all fixes, where it comes first. Of sets that may be much, so no new memory is taken where
    /// `numbers` has enough.
    ///
    /// # Errors
    /// When the device fails.
    fn read(&self, memory: &Floats, numbers: &mut Vec<f64>) -> Result<()> {
        match (memory, &self.over) {
            (Floats::Wide(buffer), Sums::Sets(_)) => {
                numbers.clear();
                buffer.view(Section::Modify, 0..self.remembered, |seen| numbers.extend_from_slice(seen))
            }
            _ => {
                *numbers = memory.read_agreed(Section::Modify, self.remembered)?;
                Ok(())
            }
        }
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
        let mut numbers = Vec::new();
        self.read_feedback(&mut numbers)?;
        Ok(numbers)
    }

    /// The same into memory that is there.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read_feedback(&self, numbers: &mut Vec<f64>) -> Result<()> {
        self.feedback.as_ref().map_or(Ok(()), |feedback| feedback.read(&self.memory, numbers))
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
