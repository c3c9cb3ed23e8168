//! The part of a step that needs the whole system, on the device (cl/feedback.cl).

use super::Plan;
use super::arguments::over_pages;
use super::stages::Stages;
use crate::error::Result;
use crate::gpu::{Arg, Defines, Kernel};
use crate::kernels::{Context, FEEDBACK, File};
use crate::neighbor::Neighbor;
use crate::resident::{Floats, Resident};
use crate::timing::Section;

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
    advance: Kernel,
    pub(super) measured: Floats,
    partial: Floats,
    /// How many numbers the fix remembers.
    remembered: usize,
    groups: usize,
    /// More numbers than one work-group adds up in passing are added up by groups first, in a launch more.
    many: usize,
    /// Work-items of a group of many, and of the one that goes on with what is remembered.
    local: [usize; 2],
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
    /// For up to `n` atoms with the functions of these files, called as `stages` say; `None` where no fix has such a part.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(
        context: &Context,
        stages: &Stages,
        files: &[File],
        defines: &Defines,
        n: usize,
    ) -> Result<Option<Self>> {
        let Some(place) = stages.feedback else { return Ok(None) };
        let (gpu, shape) = (&context.gpu, context.shape);
        // One on CPUs, as for the other sums; else a large one, as it is alone.
        let one = if shape.reduce_local == 1 { 1 } else { 1 << gpu.info().max_work_group.min(256).ilog2() };
        let defines = defines.clone().set("FEEDBACK_LOCAL", one);
        let program = context.program_with(&[files, &[FEEDBACK]].concat(), &defines)?;
        let wide = context.numerics.wide();
        Ok(Some(Feedback {
            place,
            moves_box: stages.moves_box,
            sums: stages.feedback_sums,
            measure: program.kernel("measure_atoms")?,
            gather: program.kernel("gather_measured")?,
            advance: program.kernel("advance_feedback")?,
            measured: Floats::new(gpu, "measured of atoms", stages.feedback_sums * n, wide)?,
            partial: Floats::new(
                gpu,
                "measured of groups",
                stages.feedback_sums * shape.reduce_groups,
                wide,
            )?,
            remembered: stages.remembered,
            groups: shape.reduce_groups,
            many: 2 * shape.reduce_groups * shape.reduce_local,
            local: [shape.reduce_local, one],
        }))
    }

    /// The numbers of the atoms as they are; `args` are ATOM_ARGUMENTS, forces, box and tallies.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn measure(&self, args: &[Arg<'_>], atoms: &Resident) -> Result<()> {
        let [stride, n] = [atoms.capacity, atoms.n].map(|n| Arg::U32(n as u32));
        let rest = [self.measured.arg(), atoms.step.into(), stride, n];
        let local = atoms.context.shape.local;
        self.measure.launch_each(Section::Modify, atoms.n, local, &[args, &rest].concat())
    }

    /// Goes on with what is remembered. `row` is where the parameters of the step begin that ends, `next` those of the one
    /// that begins.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn advance(
        &self,
        atoms: &Resident,
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
        let (mut numbers, mut stride, mut count) = (&self.measured, atoms.capacity, atoms.n);
        if after && self.sums * atoms.n > self.many {
            let [stride_arg, n] = [stride, count].map(|n| Arg::U32(n as u32));
            let args = [self.measured.arg(), self.partial.arg(), stride_arg, n];
            self.gather.launch(Section::Modify, self.groups * self.local[0], self.local[0], &args)?;
            (numbers, stride, count) = (&self.partial, self.groups, self.groups);
        }
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
        self.advance.launch(Section::Modify, self.local[1], self.local[1], &args)
    }

    /// What the fix remembers, out of the memory of all fixes, where it comes first.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn numbers(&self, memory: &Floats) -> Result<Vec<f64>> {
        memory.read(Section::Modify, self.remembered)
    }
}

impl Plan {
    /// Goes on with what the fix of the feedback remembers.
    pub(super) fn feed_back(&self, atoms: &Resident, neighbor: &Neighbor, ends: Ends) -> Result<()> {
        let Some(feedback) = &self.feedback else { return Ok(()) };
        let (parameters, step) = (&self.parameters, atoms.step);
        let rows = match ends {
            Ends::After | Ends::Before => [parameters.row(step); 2],
            Ends::Both => [parameters.row(step - 1), parameters.row(step)],
        };
        feedback.advance(atoms, neighbor, [&parameters.buffer, &self.memory], rows, ends)
    }

    /// The first launch of a whole step with feedback: the forces of `atoms.step`, kicks, and what atoms add to the sums; in
    /// launches of their own where functions go on with sums.
    ///
    /// # Errors
    /// When the device fails.
    pub fn kick(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        let Some(feedback) = &self.feedback else { return Ok(()) };
        if self.totals() > 0 {
            self.forces(atoms, neighbor, feedback.moves_box)?;
            self.end(atoms, neighbor)?;
            return self.measure_for(feedback, atoms, neighbor);
        }
        let rest = [atoms.force.arg(), feedback.measured.arg(), (&atoms.status).into(), atoms.step.into()];
        let seen = self.seen_args(atoms, neighbor);
        let rest = [&seen[..], &self.atom_args(atoms, atoms.step)[..], &rest].concat();
        let rest = [rest, self.molecule_args(atoms, neighbor)].concat();
        over_pages(&self.whole, &self.table, atoms, neighbor, &rest)
    }

    /// What atoms add to the sums at `atoms.step`, whose kicks are done.
    fn measure_for(&self, feedback: &Feedback, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        let rest = [atoms.force.arg(), (&neighbor.cells().box_buffer).into(), self.tally.arg()];
        feedback.measure(&[&self.atom_args(atoms, atoms.step)[..], &rest].concat(), atoms)
    }

    /// What follows it, up to the forces of the next step, which is `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn_by_feedback(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.feed_back(atoms, neighbor, Ends::Both)?;
        self.turn(atoms, neighbor)
    }

    /// The end of `atoms.step` for the fix of the feedback; nothing without feedback.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_feedback(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
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

    /// Whether each step needs feedback: then it is made in several launches.
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
