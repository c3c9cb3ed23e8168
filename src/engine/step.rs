//! The launches of a step: which of its stages share a kernel.
//!
//! Where nothing has to be seen between two steps, one kernel makes a whole step: forces, what the fixes do after
//! them, what they do before the next forces (`fused_step` of cl/force/output_fused.cl). Where something has, the same
//! stages come in several kernels, with the same bits.

mod arguments;
mod atom_sets;
mod counts;
pub mod coupling_functions;
mod device_coupling;
pub mod fix_program;
mod forces;
pub mod hooks;
mod host_stages;
mod multi_step;
mod parameters;
mod stages;
mod sums;
mod whole_system;

use crate::base::error::Result;
use crate::engine::analysis::per_atom::PerAtomArrays;
use crate::engine::comm::Rows;
use crate::engine::device_atoms::{DeviceAtoms, Floats, real, status};
use crate::engine::force::long_forces::LongForces;
use crate::engine::force::passes::Passes;
use crate::engine::force::program::{
    Output, adds_forces, bond_table, define_molecules, pair_defines, pair_files, pair_program, shares_slots,
};
use crate::engine::force::within::may_be_within;
use crate::engine::kernels::{Context, FACES, INTEGRATE, LaunchConfig, RANDOM, STEP};
use crate::engine::neighbor::Neighbor;
use crate::engine::neighbor::long_pairs::LongPairs;
use crate::engine::simulation::SimulationSpec;
use crate::engine::timing::{FORCE_AND_KICK, FUSED_STEP};
use crate::gpu::record::Section;
use crate::gpu::source::File;
use crate::gpu::{Arg, Buffer, Gpu, Kernel};
use crate::potentials::pair::Coefficients;
use arguments::{Noise, moved_velocities};
pub(in crate::engine) use arguments::{Over, over_pages};
pub use counts::{PairCounts, counted};
use device_coupling::{Ends, Feedback};
pub use multi_step::BoxesAhead;
use multi_step::{MadeFor, MultiStep};
use parameters::Parameters;
use stages::Stages;
use sums::Sums;

/// A place of the script where no fix is.
const NO_FIX: usize = u32::MAX as usize;

/// The kernels of a run.
pub struct StepKernels {
    /// What comes before forces of many bodies.
    passes: Option<Passes>,
    /// Forces of long pairs.
    long: Option<LongForces>,
    /// What the loop of the forces goes over.
    over: Over<'static>,
    force: Kernel,
    force_and_tally: Kernel,
    whole: Kernel,
    /// `whole` for several steps, where it can be made.
    several: Option<MultiStep>,
    initial: Kernel,
    turn: Kernel,
    /// Where fixes do something between forces and the end of a step.
    last: Option<Kernel>,
    /// Where fixes change forces.
    first_forces: Option<Kernel>,
    end_of_step: Kernel,
    sums: Sums,
    /// The part of each step that needs the whole system, where the device does it; `whole` is then
    /// [`FORCE_AND_KICK`], with which a step begins.
    feedback: Option<Feedback>,
    /// Coefficients per ordered pair of types.
    table: Floats,
    /// Coefficients per bond type.
    bond_table: Floats,
    /// Whether molecules add to the forces.
    molecules: bool,
    /// Whether forces may halt at bonds that have become too long, so that nothing else can be done in their launch.
    pub snaps: bool,
    /// Whether lists may be built around [predicted positions](SimulationSpec::can_predict), for which steps keep velocities between the halves of a kick.
    pub predicts: bool,
    parameters: Parameters,
    noise: Option<Noise>,
    /// What the fix of the feedback remembers, then what fixes remember of each atom, one after another, and where that of
    /// each begins.
    memory: Floats,
    memory_of: Vec<usize>,
    /// What each fix counts, and whether any does.
    counts: Buffer<u32>,
    counting: bool,
    /// The script's step when those of the run began at 0.
    origin: i64,
    /// Per atom the part of the pair energy that charges have, as of the same step, where styles see them.
    pub coulomb: Option<Floats>,
    /// Per atom (pair energy, xx, yy, zz, xy, xz, yz, bond energy), as of the last step that wanted it.
    pub tally: Floats,
}

impl StepKernels {
    /// Builds the kernels for up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        context: &Context,
        spec: &SimulationSpec<'_>,
        coefficients: &Coefficients<'_>,
        n: usize,
    ) -> Result<Self> {
        let (gpu, numerics, molecules) = (&context.gpu, context.numerics, spec.molecules);
        let seen = Passes::within_memory(context, coefficients.seen, n);
        // What counts in part is met in the neighbour loop, whatever the types.
        let met = |long: &LongPairs| long.long.iter().map(|long| !long || molecules.partial()).collect();
        let met = spec.long.map(met).unwrap_or_default();
        let coefficients = &Coefficients { seen, met, ..coefficients.clone() };
        let stages = Stages::new(spec.fixes, spec.minimizing);
        let faces = if stages.moves_box { &[FACES][..] } else { &[] };
        let atom_files: Vec<File> = [&[RANDOM, INTEGRATE], faces, &stages.files].concat();
        let stage_files: Vec<File> = [&atom_files[..], &[STEP]].concat();
        let predicts = spec.can_predict(context);
        let staged = |defines| match predicts {
            true => stages.define(defines).set("KEEP_HALF_STEP_V", 1),
            false => stages.define(defines),
        };
        let stage_defines = staged(coefficients.seen.define(context.defines()));
        let pair = |tally| pair_program(context, coefficients, molecules, tally);
        let defines = define_molecules(context, molecules, pair_defines(context, coefficients));
        let fused = staged(defines.set("TALLY", u32::from(stages.moves_box)).set("FUSED", 1));
        let output = if stages.feedback.is_some() { Output::Coupled } else { Output::Fused };
        let files = [&stage_files[..], &pair_files(context, coefficients, molecules, output)].concat();
        let whole = context.program_with(&files, &fused)?;
        // By themselves, so that they are compiled once for all pair styles.
        let parts = context.program_with(&stage_files, &stage_defines)?;

        let sums = Sums::new(context, &stages, &atom_files, &stage_defines, n)?;
        // What moves along with positions, or takes a launch amid a step, is for single steps.
        let amid = match stages.feedback {
            None => !(stages.pre_force_sums.is_empty() || context.shape.alone()), // who waits for nobody amid a step
            // Groups of GPUs do not share sets of atoms.
            Some(_) if stages.sets.is_some() && !context.shape.clusters => true,
            // Groups add up by halves.
            Some(_) => !(stages.pre_force_sums.is_empty() && context.shape.pair_local.is_power_of_two()),
        };
        let passes = Passes::new(context, coefficients, n)?;
        let long = spec.long.map(|long| LongForces::new(context, coefficients, long, n)).transpose()?;
        let before = passes.is_some() && !may_be_within(context, coefficients);
        let apart = amid || coefficients.seen.velocities || before || long.is_some();
        let feedback = Feedback::new(context, &stages, &atom_files, &stage_defines, n, !apart)?;
        let name = if feedback.is_some() { FORCE_AND_KICK } else { FUSED_STEP };
        let boxes = stages.changes_box && !stages.moves_box;
        let made_for = MadeFor { n, tallies: stages.moves_box, boxes };
        let several = match &feedback {
            _ if apart => None,
            Some(feedback) => {
                let files = [&atom_files[..], &[feedback.file()], &files[atom_files.len()..]].concat();
                let fused = feedback.define(fused);
                MultiStep::new(context, &files, &fused, coefficients, Some(feedback), made_for)?
            }
            None => {
                let fused = stages.define_totals(fused);
                MultiStep::new(context, &files, &fused, coefficients, None, made_for)?
            }
        };

        let wide = numerics.wide_pairs();
        // A buffer of none cannot be passed.
        let spare = feedback.as_ref().map_or(1, Feedback::spare);
        let memory = [&stages.memory[..], &vec![0.0; spare]].concat();
        Ok(StepKernels {
            passes,
            long,
            over: match coefficients.has_pairs || shares_slots(context, coefficients) {
                true => Over::Lists,
                false => Over::Atoms,
            },
            force: pair(0)?.kernel("pair_force")?,
            force_and_tally: pair(1)?.kernel("pair_force_tally")?,
            whole: whole.kernel(name)?,
            several,
            initial: parts.kernel("initial_integrate")?,
            turn: parts.kernel("final_initial_step")?,
            last: (!stages.end_by_themselves()).then(|| parts.kernel("final_integrate")).transpose()?,
            first_forces: stages.change_forces().then(|| parts.kernel("first_forces")).transpose()?,
            end_of_step: parts.kernel("end_of_step")?,
            sums,
            feedback,
            table: Floats::from_table(gpu, "pair coefficients", &coefficients.table, wide)?,
            molecules: adds_forces(molecules),
            snaps: molecules.snaps,
            predicts,
            bond_table: Floats::from_values(gpu, "bond coefficients", &bond_table(molecules), wide)?,
            parameters: Parameters::new(gpu, stages.row, numerics.wide())?,
            memory: Floats::from_values(gpu, "memory of fixes", &memory, numerics.wide())?,
            memory_of: stages.memory_of,
            counting: stages.files.iter().any(|(_, text)| text.contains("COUNT_ONE(")),
            counts: gpu.buffer("counts of fixes", spec.fixes.len().max(1))?,
            noise: coefficients.seed.map(|seed| Noise {
                seed,
                unit: (spec.boltz / spec.dt).sqrt(),
                heat: coefficients.heat,
                span: spec.span,
            }),
            origin: spec.step,
            coulomb: match coefficients.seen.charges {
                true => Some(Floats::new(gpu, "Coulomb energies", n, wide)?),
                false => None,
            },
            tally: Floats::new(gpu, "tallies", 8 * n, wide)?,
        })
    }

    /// Says to [`Gpu::compile_ahead`] that forces of `n` atoms and steps are about to come, with lists of so many blocks.
    pub fn foresee(&self, shape: LaunchConfig, n: usize, blocks: usize) {
        let (items, local) = match self.over {
            Over::Atoms => (n, shape.local),
            _ => shape.pair_items(n, blocks),
        };
        self.force.foresee(items, local);
        for kernel in [&self.initial, &self.turn].into_iter().chain(&self.last) {
            kernel.foresee(n, shape.local);
        }
        self.whole.foresee(items, local);
        self.force_and_tally.foresee(items, local);
    }

    /// Before the forces of `atoms.step`: positions move.
    ///
    /// # Errors
    /// When the device fails.
    pub fn begin(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.feed_back(atoms, neighbor, Ends::Before)?;
        self.move_atoms(&self.initial, atoms, neighbor, atoms.step)
    }

    /// From one step to the next, which is `atoms.step`, with the forces in memory; with feedback, from where a fix knows
    /// of all atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        if !self.feeds_back() {
            self.launch_pre_force_sums(atoms, neighbor, atoms.step - 1)?;
        }
        self.move_atoms(&self.turn, atoms, neighbor, atoms.step - 1)
    }

    /// After the forces of `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.last.iter().try_for_each(|kernel| self.change_forces(kernel, atoms, neighbor))
    }

    /// The forces before the first step, as the fixes change them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn first_forces(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.first_forces.iter().try_for_each(|kernel| self.change_forces(kernel, atoms, neighbor))
    }

    /// Whether fixes change forces.
    pub fn changes_forces(&self) -> bool {
        self.first_forces.is_some()
    }

    fn change_forces(&self, kernel: &Kernel, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.launch_pre_force_sums(atoms, neighbor, atoms.step)?;
        let moved = neighbor.moved(atoms);
        let rest = [
            atoms.force.arg(),
            (&neighbor.cells().box_buffer).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            Arg::U32(moved.start as u32),
            Arg::U32(moved.end as u32),
        ];
        let args = [&self.atom_args(atoms, atoms.step)[..], &rest].concat();
        kernel.launch_each(Section::Modify, moved.len(), atoms.context.shape.local, &args)
    }

    /// Stages the positions as they are in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn restage(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.end_of_step(atoms, neighbor, NO_FIX)
    }

    /// Sends the parameters of the fixes for the steps from `first` on, counted as `atoms.step`; a single row is
    /// for all steps.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn set_parameters(&mut self, gpu: &Gpu, first: u32, rows: &[Vec<f64>]) -> Result<()> {
        self.parameters.set(gpu, first, rows)
    }

    /// Gives the functions of the fix at a place of the script three numbers per atom ID from 1 on.
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember(&self, place: usize, values: &[[f64; 3]]) -> Result<()> {
        self.memory.write_at(Section::Modify, self.memory_of[place], bytemuck::cast_slice(values))
    }

    /// The same of three columns; they are at least as many.
    ///
    /// # Errors
    /// When the device fails.
    pub fn remember_columns(&self, place: usize, columns: &PerAtomArrays<'_>) -> Result<()> {
        columns.remember(&self.memory, self.memory_of[place])
    }

    /// What the functions of the fix at a place of the script have counted in this run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self, place: usize) -> Result<u32> {
        Ok(self.counts.read_agreed(Section::Output, place..place + 1)?[0])
    }

    /// The same of this rank alone.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count_here(&self, place: usize) -> Result<u32> {
        Ok(self.counts.read(Section::Output, place..place + 1)?[0])
    }

    /// Counts on from the kernels of a run with the same fixes.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count_on(&self, before: &StepKernels) -> Result<()> {
        let counts = before.counts.read(Section::Modify, 0..before.counts.len())?;
        self.counts.write(Section::Modify, 0, &counts)
    }

    /// The forces of `atoms.step` and everything up to those of the next step, which becomes `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn fused_step(&self, atoms: &mut DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        let rest = [
            self.fused_step_args(atoms, neighbor, neighbor.watch(atoms.step + 1).0),
            self.molecule_args(atoms, neighbor),
        ]
        .concat();
        self.pass(atoms, neighbor, false)?;
        if self.has_near_room() {
            self.halt_together(atoms, neighbor)?;
        }
        let phases = neighbor.phases();
        if let Some((shares, phases)) = phases {
            let over =
                |blocks| over_pages(&self.whole, Over::Blocks(blocks), &self.table, atoms, neighbor, &rest);
            over(&phases.border)?;
            // Forces of bonds may halt, too.
            let watched = neighbor.watch(atoms.step + 1).0 || self.molecules;
            let halt = atoms.context.gpu.host_beside(Section::Comm, || {
                shares.tell_meanwhile(&atoms.packed_next, atoms, watched, || over(&phases.interior))
            })?;
            neighbor.told.set(halt.map(|halt| (atoms.step + 1, halt)));
        } else {
            over_pages(&self.whole, self.over, &self.table, atoms, neighbor, &rest)?;
        }
        atoms.swap_positions();
        atoms.step += 1;
        if phases.is_some() { Ok(()) } else { self.tell_positions(atoms, neighbor) }
    }

    /// Has other ranks know where this one's atoms have moved to.
    fn tell_positions(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        let Some(shares) = &neighbor.shares else { return Ok(()) };
        let (width, count) = (atoms.context.numerics.staged_words(), atoms.context.copies);
        let rows = Rows { width, count, stride: atoms.capacity };
        atoms.context.gpu.host(Section::Comm, || {
            let velocities = neighbor.velocities.iter().map(|velocities| velocities.beside(atoms, false));
            let mut staged = [&atoms.packed].into_iter().chain(velocities);
            let only_lists = neighbor.only_lists_name_atoms();
            staged.try_for_each(|buffer| {
                let halt = shares.tell(buffer, rows, only_lists, atoms)?;
                neighbor.told.set(halt.map(|halt| (atoms.step, halt)));
                Ok(())
            })
        })
    }

    /// Whether forces come of one pass over lists, which cannot halt.
    fn has_one_pass(&self) -> bool {
        self.passes.is_none() && self.long.is_none() && !self.molecules
    }

    /// Where a rank has halted amid a step, the others do not go on from it either.
    fn halt_together(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        let halt = if neighbor.shares.is_some() { neighbor.poll(atoms)? } else { None };
        halt.map_or(Ok(()), |halt| atoms.status.write(Section::Comm, status::HALT, &[halt.step]))
    }

    /// Whether each rank may make whole steps of its own atoms, as no fix counts atoms.
    pub fn moves_own_atoms(&self) -> bool {
        !self.counting && self.may_share() && !self.feedback.as_ref().is_some_and(Feedback::is_of_sets)
    }

    /// The same where a fix's part that needs all atoms is the device's: that comes between kicks and positions.
    ///
    /// # Errors
    /// When the device fails.
    pub fn step_coupled(&self, atoms: &mut DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.kick(atoms, neighbor, false)?;
        atoms.step += 1;
        self.turn_by_feedback(atoms, neighbor)
    }

    /// The same in launches of which each belongs to one section.
    ///
    /// # Errors
    /// When the device fails.
    pub fn step_unfused(&self, atoms: &mut DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        if self.feeds_back() {
            self.kick(atoms, neighbor, true)?;
            atoms.step += 1;
            return self.turn_by_feedback(atoms, neighbor);
        }
        self.forces(atoms, neighbor, false)?;
        atoms.step += 1;
        self.turn(atoms, neighbor)
    }

    /// OUTPUT_ARGUMENTS of a whole step (cl/force/output_fused.cl), after INPUT_ARGUMENTS.
    fn fused_step_args<'a>(
        &'a self,
        atoms: &'a DeviceAtoms,
        neighbor: &'a Neighbor,
        watched: bool,
    ) -> Vec<Arg<'a>> {
        let (_, trigger) = neighbor.watch(atoms.step + 1);
        let mut args = self.pair_input_args(atoms, neighbor);
        args.extend(self.atom_args(atoms, atoms.step));
        args.extend([
            (&atoms.packed_next).into(),
            (&atoms.x_hold).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            real(atoms.context.numerics, trigger),
            i32::from(watched).into(),
        ]);
        args.extend(moved_velocities(atoms, neighbor, true));
        args.extend(neighbor.prediction.kept());
        args
    }

    fn move_atoms(&self, kernel: &Kernel, atoms: &DeviceAtoms, neighbor: &Neighbor, row: u32) -> Result<()> {
        self.launch_moving(kernel, atoms, neighbor, (row, true), neighbor.prediction.kept().as_slice())?;
        if !neighbor.partial || self.tell_beside_forces(atoms, neighbor)? {
            return Ok(());
        }
        self.tell_positions(atoms, neighbor)
    }
}
