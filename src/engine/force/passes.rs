//! The passes over the neighbours before the one that makes forces. Each leaves something of every atom, which the last one sees of both
//! atoms of a pair: numbers (cl/force/first_pass.cl), or partial forces in slots (cl/force/partial_forces.cl).

use super::program::{Found, pass_group, pass_program};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::comm::{Rows, Shares, SlotArrays, SlotRecords};
use crate::engine::device_atoms::{DUMMIES, DeviceAtoms, Floats};
use crate::engine::kernels::Context;
use crate::engine::neighbor::Neighbor;
use crate::engine::step::{Over, over_pages};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use crate::potentials::pair::style::PairInputs;
use crate::potentials::pair::{Coefficients, Leaves, Pass};

/// The passes of a run, in their order.
pub(in crate::engine) struct Passes {
    passes: Vec<Built>,
    /// What the last pass sees.
    seen: PairInputs,
    /// Beside the staged positions, these numbers of each: copies of the box `capacity` apart, then dummies.
    made: Option<Floats>,
    slots: Option<Slots>,
    /// Where ranks share out the atoms, and there are slots.
    records: Option<SlotRecords>,
    /// Which of the first 32 entries of each work-item's list are within the cutoff, a bit each.
    marks: Option<Buffer<u32>>,
    near: Option<Near>,
    /// The energy of each atom that they leave.
    own: Floats,
}

/// A pass with its kernel.
struct Built {
    pass: Pass,
    kernel: Kernel,
    /// The same with virials atom by atom, where they are wanted.
    tallying: Option<Kernel>,
    table: Floats,
    triplets: Floats,
    /// Work-items of its work-groups.
    local: usize,
}

/// The places of each atom's neighbours within the cutoff, and how many there are: the k-th at room * i + k.
struct Near {
    /// Room for each atom, a multiple of the widest vectors; one of these is kept free.
    room: usize,
    place: Buffer<u32>,
    count: Buffer<u32>,
}

impl Near {
    /// Whether a device has room for the places of `n` atoms, and to grow to twice as much.
    fn fits(context: &Context, n: usize) -> bool {
        let words = (NEAR_AT_FIRST + 2 * context.shape.vector) * n;
        8 * words as u64 <= context.gpu.common().max_alloc
    }

    /// For so many neighbours of each of `n` atoms.
    fn new(context: &Context, neighbors: usize, n: usize) -> Result<Self> {
        let widest = context.shape.vector.max(1);
        let room = neighbors.next_multiple_of(widest) + widest;
        let gpu = &context.gpu;
        Ok(Near {
            room,
            place: gpu.buffer("near places", room * n)?,
            count: gpu.buffer("counts of near places", n)?,
        })
    }

    fn args(&self) -> [Arg<'_>; 3] {
        [(&self.place).into(), (&self.count).into(), Arg::U32(self.room as u32)]
    }
}

/// So many neighbours within the cutoff have room, to begin with: those in a metal at its melting point.
const NEAR_AT_FIRST: usize = 56;

/// Room for partial forces of an atom, for so many: where those of an atom are together, they are looked through by eights.
fn slots_for(context: &Context, count: usize) -> usize {
    count.next_multiple_of(if context.shape.cluster() > 1 { 8 } else { 4 })
}

/// So many partial forces of an atom have room, to begin with.
pub(in crate::engine) fn slots_at_first(context: &Context, passes: &[Pass]) -> usize {
    let room_of = |pass: &Pass| match pass.leaves {
        Leaves::Numbers { .. } => 0,
        Leaves::PartialForces { slots, .. } => slots,
    };
    slots_for(context, passes.iter().map(room_of).max().unwrap_or(0))
}

/// Partial forces: sets of slots (SLOT_AT of cl/common/common.cl).
struct Slots {
    sets: usize,
    /// Room per atom and set.
    room: usize,
    place: Buffer<u32>,
    force: Floats,
    count: Buffer<u32>,
    /// Six numbers of a virial for each slot, and behind the slots of a set for the atom itself.
    virial: Option<Floats>,
}

impl Slots {
    fn new(context: &Context, sets: usize, room: usize, n: usize, virials: bool) -> Result<Self> {
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        Ok(Slots {
            sets,
            room,
            place: gpu.buffer("places of slots", sets * room * n)?,
            force: Floats::new(gpu, "partial forces", 4 * sets * room * n, wide)?,
            count: gpu.buffer("counts of slots", sets * n)?,
            virial: virials
                .then(|| Floats::new(gpu, "virials of slots", 6 * sets * (room + 1) * n, wide))
                .transpose()?,
        })
    }

    fn arrays(&self) -> SlotArrays<'_> {
        let Slots { sets, room, place, force, count, virial } = self;
        SlotArrays { place, force, count, virial: virial.as_ref(), sets: *sets, room: *room }
    }

    fn args(&self) -> impl Iterator<Item = Arg<'_>> {
        let slots = [(&self.place).into(), self.force.arg(), (&self.count).into()];
        slots.into_iter().chain(self.virial.iter().map(Floats::arg))
    }
}

impl Built {
    /// The `index`-th pass, where there is `room` for so many partial forces, and `seen` is what the last pass sees.
    fn new(context: &Context, pass: &Pass, [index, room]: [usize; 2], seen: PairInputs) -> Result<Self> {
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        let kernel = |tally| pass_program(context, pass, [index, room], seen, tally)?.kernel("first_pass");
        let triplets: &[f64] = if pass.triplets.is_empty() { &[0.0] } else { &pass.triplets };
        Ok(Built {
            kernel: kernel(false)?,
            tallying: (seen.slot_virials && pass.has_slots()).then(|| kernel(true)).transpose()?,
            table: Floats::from_table(gpu, "coefficients of a pass", &pass.table, wide)?,
            triplets: Floats::from_values(gpu, "numbers of triplets", triplets, wide)?,
            pass: pass.clone(),
            local: pass_group(context, pass, room),
        })
    }
}

impl Passes {
    /// What the kernels are built for, for up to `n` atoms: where there is no room for what a first pass finds, the last one looks again.
    pub(in crate::engine) fn within_memory(context: &Context, mut seen: PairInputs, n: usize) -> PairInputs {
        seen.found &= Found::of(context, seen) != Found::AsPlaces || Near::fits(context, n);
        seen
    }

    /// For up to `n` atoms; `None` where there are none.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(in crate::engine) fn new(
        context: &Context,
        coefficients: &Coefficients<'_>,
        n: usize,
    ) -> Result<Option<Self>> {
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        let (width, sets) = (coefficients.seen.made, coefficients.seen.slot_sets);
        if !coefficients.seen.has_passes() {
            return Ok(None);
        }
        let room = slots_at_first(context, &coefficients.passes);
        let passes = coefficients.passes.iter().enumerate();
        let found = Found::of(context, coefficients.seen);
        Ok(Some(Passes {
            passes: passes
                .map(|(index, pass)| Built::new(context, pass, [index, room], coefficients.seen))
                .collect::<Result<_>>()?,
            seen: coefficients.seen,
            made: (width > 0)
                .then(|| Floats::new(gpu, "numbers of passes", (n * context.copies + DUMMIES) * width, wide))
                .transpose()?,
            slots: (sets > 0)
                .then(|| Slots::new(context, sets, room, n, coefficients.seen.slot_virials))
                .transpose()?,
            records: (sets > 0 && ranks::count() > 1)
                .then(|| SlotRecords::new(context, coefficients.seen.slot_virials))
                .transpose()?,
            marks: (found == Found::AsMarks)
                .then(|| gpu.buffer("marks of entries", n * context.shape.lanes))
                .transpose()?,
            near: (found == Found::AsPlaces).then(|| Near::new(context, NEAR_AT_FIRST, n)).transpose()?,
            own: Floats::new(gpu, "energies of passes", n, wide)?,
        }))
    }

    /// Takes other numbers of pairs, for the passes that are enqueued from here on.
    ///
    /// # Errors
    /// When the device fails.
    pub(in crate::engine) fn set_coefficients(&self, passes: &[Pass]) -> Result<()> {
        let mut tables = self.passes.iter().zip(passes);
        tables.try_for_each(|(built, pass)| built.table.write_table(Section::Modify, &pass.table))
    }

    /// Enqueues them, for the positions of `atoms.step`, with what is tallied atom by atom or not.
    ///
    /// # Errors
    /// When the device fails.
    pub(in crate::engine) fn launch(
        &self,
        atoms: &DeviceAtoms,
        neighbor: &Neighbor,
        tally: bool,
    ) -> Result<()> {
        let last_with_slots = self.passes.iter().rposition(|built| built.pass.has_slots());
        self.passes.iter().enumerate().try_for_each(|(index, built)| {
            self.launch_one(built, atoms, neighbor, tally)?;
            let Some(shares) = &neighbor.shares else { return Ok(()) };
            // The slots of all passes together.
            if built.pass.has_slots() && last_with_slots != Some(index) {
                return Ok(());
            }
            atoms.context.gpu.host(Section::Comm, || self.share(&built.pass, shares, atoms))
        })
    }

    /// The same for this rank's atoms, of which the others learn nothing.
    ///
    /// # Errors
    /// When the device fails.
    pub(in crate::engine) fn launch_own(&self, atoms: &DeviceAtoms, neighbor: &Neighbor) -> Result<()> {
        self.passes.iter().try_for_each(|built| self.launch_one(built, atoms, neighbor, false))
    }

    fn launch_one(&self, built: &Built, atoms: &DeviceAtoms, neighbor: &Neighbor, tally: bool) -> Result<()> {
        let Built { pass, kernel, tallying, table, triplets, local } = built;
        let kernel = tallying.as_ref().filter(|_| tally).unwrap_or(kernel);
        let mut rest = Vec::new();
        if pass.has_slots() {
            rest.push(triplets.arg());
            rest.extend(self.slots.iter().flat_map(|slots| slots.args()));
        } else {
            rest.extend(self.made.iter().map(Floats::arg));
            rest.extend(self.found_args());
        }
        rest.extend([self.own.arg(), (&atoms.status).into(), atoms.step.into()]);
        let over = if pass.has_slots() { Over::ListsBy(*local) } else { Over::Lists };
        over_pages(kernel, over, table, atoms, neighbor, &rest)
    }

    /// What a pass leaves of each rank's atoms goes to those whose lists name them.
    fn share(&self, pass: &Pass, shares: &Shares, atoms: &DeviceAtoms) -> Result<()> {
        match (&self.made, &self.slots, &self.records) {
            (Some(made), ..) if !pass.has_slots() => {
                let rows =
                    Rows { width: self.seen.made, count: atoms.context.copies, stride: atoms.capacity };
                shares.tell_floats(made, rows, true, atoms).map(drop)
            }
            (_, Some(slots), Some(records)) => shares.tell_slots(records, &slots.arrays(), atoms),
            _ => Ok(()),
        }
    }

    /// PASS_TABLES of a launch that makes them itself (cl/force/kernel.cl).
    pub(in crate::engine) fn tables(&self) -> impl Iterator<Item = Arg<'_>> {
        self.passes.iter().flat_map(|Built { pass, table, triplets, .. }| {
            [table.arg()].into_iter().chain(pass.has_slots().then(|| triplets.arg()))
        })
    }

    /// MADE_ARGUMENT, SLOTS_ARGUMENT, FOUND_ARGUMENT and OWN_ARGUMENT of cl/force/pair_inputs.cl.
    pub(in crate::engine) fn args(&self) -> Vec<Arg<'_>> {
        let mut args: Vec<_> = self.made.iter().map(Floats::arg).collect();
        if let Some(slots) = &self.slots {
            args.extend(slots.args());
            args.push(Arg::U32(slots.room as u32));
        }
        args.extend(self.found_args());
        args.push(self.own.arg());
        args
    }

    fn found_args(&self) -> impl Iterator<Item = Arg<'_>> {
        self.marks.iter().map(Arg::from).chain(self.near.iter().flat_map(Near::args))
    }

    /// So many partial forces of an atom have room.
    pub(in crate::engine) fn slots(&self) -> usize {
        self.slots.as_ref().map_or(0, |slots| slots.room)
    }

    /// Whether some have room for neighbours within the cutoff that may be too little.
    pub(in crate::engine) fn has_near_room(&self) -> bool {
        self.slots.is_some() || self.near.is_some()
    }

    /// Makes room for so many neighbours, and some more; what is kept of them is lost.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub(in crate::engine) fn make_near_room(&mut self, atoms: &DeviceAtoms, needed: usize) -> Result<()> {
        // The smaller room is given back before a larger one is asked for.
        if self.near.take().is_some() {
            self.near = Some(Near::new(&atoms.context, needed + needed / 4, atoms.capacity)?);
        }
        let Some(slots) = &mut self.slots else { return Ok(()) };
        if needed <= slots.room {
            return Ok(());
        }
        // Some more, as a melt goes on to change.
        let room = slots_for(&atoms.context, needed + needed / 4);
        *slots = Slots::new(&atoms.context, slots.sets, room, atoms.capacity, self.seen.slot_virials)?;
        for (index, built) in self.passes.iter_mut().enumerate().filter(|(_, built)| built.pass.has_slots()) {
            *built = Built::new(&atoms.context, &built.pass, [index, room], self.seen)?;
        }
        Ok(())
    }
}
