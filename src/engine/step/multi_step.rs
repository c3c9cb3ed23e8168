//! Several whole steps in one launch, for systems so small that a launch costs as much as its work: its work-groups wait for one
//! another between two of them (cl/step/barrier.cl), those of a GPU or the cores of a CPU, or one work-item makes all of them (cl/force/loop_cluster.cl).

use super::arguments::{Over, over_page};
use super::device_coupling::Feedback;
use super::{NO_FIX, StepKernels};
use crate::base::error::Result;
use crate::engine::barrier::{BarrierFallback, group_barrier};
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::force::passes::{Passes, slots_at_first};
use crate::engine::force::program::{passes_fit, row_bytes};
use crate::engine::force::within::passes_within;
use crate::engine::kernels::Context;
use crate::engine::kernels::variants::Variant;
use crate::engine::neighbor::Neighbor;
use crate::engine::timing::{COUPLED_STEP, FUSED_STEP};
use crate::gpu::{Arg, Buffer, Defines, Kernel};
use crate::potentials::pair::style::PairInputs;
use crate::potentials::pair::{Coefficients, Pass};
use std::cell::Cell;

/// The kernel that makes several steps.
pub(super) struct MultiStep {
    kernel: Kernel,
    group_barrier: Buffer<u32>,
    /// Whether fixes' numbers may go on evenly from step to step.
    along: bool,
    /// Steps of a launch at most.
    most: u32,
    /// When work-groups have not come together, up to which step each is a launch.
    retreat: Cell<BarrierFallback>,
    made_of: MadeOf,
}

/// What the kernel is made of.
struct MadeOf {
    context: Context,
    files: Vec<(String, String)>,
    defines: Defines,
    passes: Vec<Pass>,
    seen: PairInputs,
    name: &'static str,
    made_for: MadeFor,
    /// Bytes of local memory that it has for sums.
    sums: usize,
}

/// What the kernel is made for.
#[derive(Clone, Copy)]
pub(super) struct MadeFor {
    /// Atoms at most.
    pub(super) n: usize,
    /// Whether each step makes virials, too, by which the box goes.
    pub(super) tallies: bool,
    /// Whether the box may change from step to step as the host knows.
    pub(super) boxes: bool,
}

impl MadeOf {
    /// The kernel, with room for so many partial forces, if local memory has that.
    fn kernel(&self, room: usize) -> Result<Option<Kernel>> {
        if !passes_fit(&self.context, &self.passes, room, self.sums) {
            return Ok(None);
        }
        let (context, (_, local)) = (&self.context, self.context.shape.items_of_several(0));
        let MadeFor { n, tallies, .. } = self.made_for;
        let passes = (!self.passes.is_empty()).then(|| {
            passes_within(context, (&self.passes, self.seen), &self.defines, [room, local], tallies)
        });
        let before = passes.iter().map(|text| ("passes", text.as_str()));
        let files: Vec<_> = before.chain(self.files.iter().map(|(name, text)| (&**name, &**text))).collect();
        context.program_of_several(&files, &self.defines, n)?.kernel(self.name).map(Some)
    }
}

/// Boxes of steps to come, one behind the other.
pub struct BoxesAhead<'a> {
    /// Those of all steps that are known.
    pub boxes: &'a Buffer<u8>,
    /// Which of them is that of the first step.
    pub first: u32,
    /// The place of the fix by which positions follow.
    pub carrier: Option<usize>,
}

/// Steps for which cores of a CPU that have not come together make one at a time, at first and at most.
const SINGLE_STEPS: [u32; 2] = [128, 4096];

impl MultiStep {
    /// The kernel, where the shape wants it and work-groups see what the others have written; from what that of one step is made of.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(super) fn new(
        context: &Context,
        files: &[(&str, &str)],
        defines: &Defines,
        coefficients: &Coefficients<'_>,
        feedback: Option<&Feedback>,
        made_for: MadeFor,
    ) -> Result<Option<Self>> {
        let Some(group_barrier) = group_barrier(context)? else { return Ok(None) };
        let (_, local) = context.shape.items_of_several(0);
        // Local memory is for what a pass with slots knows of an atom's neighbors.
        let with_slots = coefficients.passes.iter().any(Pass::has_slots);
        let rows = row_bytes(context, coefficients);
        let kept = if with_slots { 0 } else { kept_vectors(context, local, feedback, rows) };
        let defines = defines.clone().set("STEPS", 1).set("PAIR_LOCAL", local).set("KEPT_VECTORS", kept);
        let most = context.shape.steps as u32;
        let [first, longest] = SINGLE_STEPS;
        let retreat = Cell::new(BarrierFallback::new(context, first, longest));
        let name = if feedback.is_some() { COUPLED_STEP } else { FUSED_STEP };
        let along = context.shape.clusters || feedback.is_some();
        let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
        let Coefficients { passes, seen, .. } = coefficients;
        let made_of = MadeOf {
            context: context.clone(),
            files,
            defines,
            passes: passes.clone(),
            seen: *seen,
            name,
            made_for,
            sums: bytes_of_sums(context, local, feedback),
        };
        let Some(kernel) = made_of.kernel(slots_at_first(context, passes))? else { return Ok(None) };
        Ok(Some(MultiStep { kernel, group_barrier, along, most, retreat, made_of }))
    }
}

/// Bytes of local memory for what `local` work-items add up.
fn bytes_of_sums(context: &Context, local: usize, feedback: Option<&Feedback>) -> usize {
    let shape = context.shape;
    let exchange = if shape.exchanges_in_memory() { 11 * 8 * local } else { 0 };
    feedback.map_or(0, |feedback| feedback.local_bytes(local / shape.lanes)) + exchange
}

/// Vectors of list entries that each of `local` work-items keeps in local memory from step to step (cl/force/loop_plain.cl), beside so many
/// bytes of rows of tables.
fn kept_vectors(context: &Context, local: usize, feedback: Option<&Feedback>, rows: usize) -> usize {
    let shape = context.shape;
    let wanted = match shape.lanes {
        // Other things are in local memory; or the compiler would take more registers than there are for all work-items.
        _ if !shape.rules.follow(Variant::Private) => return 0,
        _ if feedback.is_some() && shape.fills_device && !context.gpu.info().limits_registers() => return 0,
        lanes @ 5.. => 128 / lanes,
        _ if shape.fills_device => 20,
        _ => 28,
    };
    // What else the kernel has there, at most.
    const OTHERS: usize = 512;
    let sums = bytes_of_sums(context, local, feedback);
    let left = (context.gpu.info().local_memory as usize).saturating_sub(OTHERS + sums + rows);
    (wanted + shape.vector - 1).min(left / (4 * local)) / shape.vector
}

impl MultiStep {
    /// Steps of a launch at most, from one on.
    fn most(&self, step: u32) -> u32 {
        if self.retreat.get().is_over(step) { self.most } else { 1 }
    }

    /// Makes it anew, where there is room for so many partial forces now; whether local memory has that.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn make_room(&mut self, room: usize) -> Result<bool> {
        let Some(kernel) = self.made_of.kernel(room)? else { return Ok(false) };
        self.kernel = kernel;
        Ok(true)
    }
}

impl StepKernels {
    /// How many whole steps one launch may make from `step` on: as long as the fixes' numbers stay, or go on evenly where the
    /// kernel knows of that, and whether to look at displacements and at which.
    pub fn together(&self, step: u32, neighbor: &Neighbor) -> u32 {
        let Some(several) = &self.several else { return 1 };
        let steps = match several.along {
            _ if neighbor.list.pages.len() != 1 => 1,
            true => several.most(step).min(self.parameters.even(step)),
            false if self.parameters.constant() => several.most(step),
            false => 1,
        };
        let alike = |k: &u32| neighbor.watch(step + 1 + k) == neighbor.watch(step + 1);
        (1..steps).take_while(alike).count() as u32 + 1
    }

    /// So many fused steps, more than one, in one launch: where the kernel for that was made; in a box that stays, or in these.
    ///
    /// # Errors
    /// When the device fails.
    pub fn fused_steps(
        &self,
        atoms: &mut DeviceAtoms,
        neighbor: &Neighbor,
        steps: u32,
        boxes: Option<&BoxesAhead<'_>>,
    ) -> Result<()> {
        let Some(several) = &self.several else { return Ok(()) };
        let check = neighbor.watch(atoms.step + 1).0;
        self.steps_until(several, atoms, neighbor, (check, boxes), [atoms.step + steps, 0, 0], steps)?;
        atoms.step += steps;
        if steps % 2 == 1 {
            atoms.swap_positions();
        }
        Ok(())
    }

    /// Whether one launch makes several steps somewhere.
    pub fn makes_multi_step(&self) -> bool {
        self.several.is_some()
    }

    /// Whether the box may change from step to step of such a launch, as the host knows.
    pub fn takes_boxes(&self) -> bool {
        self.several.as_ref().is_some_and(|several| several.made_of.made_for.boxes)
    }

    /// Whether the device may make steps from this one on without knowing of which they are.
    pub fn goes_on_alike(&self, step: u32) -> bool {
        self.several.as_ref().is_some_and(|several| several.most(step) > 1) && self.parameters.constant()
    }

    /// The steps of a cycle, up to `stop` or to where an atom has come too far: there the `next` cycle begins. After the first
    /// `unwatched` of them nobody looks for that.
    ///
    /// # Errors
    /// When the device fails.
    pub fn cycle(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        stop: u32,
        next: u32,
        unwatched: u32,
    ) -> Result<()> {
        let mut several = self.several.iter();
        several.try_for_each(|several| {
            self.steps_until(several, atoms, neighbor, (true, None), [stop, next, unwatched], 1)
        })
    }

    /// Launches the steps up to the first of these numbers, and the cycle that is the second, with a look for atoms that have come
    /// too far, if any, from after so many as the third says; they count as so many calls. The box stays, or is each of these in turn.
    fn steps_until(
        &self,
        several: &MultiStep,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        (check, boxes): (bool, Option<&BoxesAhead<'_>>),
        [stop, cycle, unwatched]: [u32; 3],
        calls: u32,
    ) -> Result<()> {
        let mut rest = self.fused_step_args(atoms, neighbor, check);
        rest.extend([Arg::from(&several.group_barrier), stop.into(), cycle.into(), unwatched.into()]);
        // FORCE_ARGUMENT
        rest.extend((self.pre_force_sums() > 0 || self.feeds_back()).then(|| atoms.force.arg()));
        // Each cycle but the first one that is enqueued begins with a rebuild.
        let builds = neighbor.builds() + u64::from(cycle.saturating_sub(atoms.cycle + 1));
        rest.extend(self.feedback.iter().flat_map(|feedback| feedback.args(builds)));
        if self.moves_box() {
            rest.push((&neighbor.cells().boxes).into());
            rest.extend(neighbor.corners_at_build().map(Arg::F64x4));
        } else if several.made_of.made_for.boxes {
            // AHEAD_ARGUMENTS
            let (table, first) = boxes.map_or((&neighbor.cells().box_buffer, 0), |of| (of.boxes, of.first));
            let carrier = boxes.and_then(|of| of.carrier).unwrap_or(NO_FIX);
            let words = [first, u32::from(boxes.is_some()), carrier as u32];
            rest.push(table.into());
            rest.extend(words.map(Arg::U32));
        }
        rest.extend(self.molecule_args(atoms, neighbor));
        rest.extend(self.passes.iter().flat_map(Passes::tables));
        let mut pages = neighbor.list.pages.iter();
        pages.try_for_each(|page| {
            over_page(&several.kernel, (Over::Lists, Some(calls)), page, &self.table, atoms, neighbor, &rest)
        })
    }

    /// Makes one step per launch from this one on, for a while or for good.
    ///
    /// # Errors
    /// When the device fails.
    pub fn disable_multi_step(&self, step: u32) -> Result<()> {
        let Some(several) = &self.several else { return Ok(()) };
        let mut retreat = several.retreat.get();
        let until = retreat.begin(step, &several.group_barrier)?;
        several.retreat.set(retreat);
        log::info!(
            "work-groups did not come together to make several steps in one launch: one per step up to step {until}"
        );
        Ok(())
    }
}
