//! What ranks tell one another of partial forces, where forces are of many bodies (cl/comm/slots.cl): of an atom near a border the slots alone
//! that are for the atoms of the rank that is told.

use super::halo::Halo;
use super::make_room;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::{Context, SLOT_RECORDS};
use crate::engine::neighbor::sort::Scan;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel, SharedWindow};
use std::cell::RefCell;

/// Partial forces in slots (cl/force/partial_forces.cl; SLOT_AT of cl/common/common.cl).
#[derive(Clone, Copy)]
pub struct SlotArrays<'a> {
    /// Which place each is for.
    pub place: &'a Buffer<u32>,
    /// The partial forces, four numbers each.
    pub force: &'a Floats,
    /// How many an atom has in a set.
    pub count: &'a Buffer<u32>,
    /// Six numbers of a virial each, and of the atom itself behind those of a set.
    pub virial: Option<&'a Floats>,
    /// How many sets there are.
    pub sets: usize,
    /// Room per atom and set.
    pub room: usize,
}

/// The kernels that make records of slots, and the memory for these.
pub struct SlotRecords {
    count: Kernel,
    scan: Scan,
    pack: Kernel,
    clear: Kernel,
    unpack: Kernel,
    /// Words of a record.
    width: usize,
    local: usize,
    /// Where the records of each group begin.
    begins: RefCell<Buffer<u32>>,
    all: Buffer<u32>,
    /// Up to which atom each rank is told, as the device has been told, and up to which record.
    told: RefCell<Vec<u32>>,
    told_ends: Buffer<u32>,
    ends: Buffer<u32>,
    packed: RefCell<Buffer<u32>>,
    heard: RefCell<Buffer<u32>>,
}

impl SlotRecords {
    /// For slots with virials or without.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, virials: bool) -> Result<Self> {
        let words = if context.numerics.wide_pairs() { 2 } else { 1 };
        let (force, virial) = (4 * words, if virials { words } else { 0 });
        let defines = context.defines().set("COUNT_LOCAL", context.shape.scan_local);
        let defines = defines.set("FORCE_WORDS", force).set("VIRIAL_WORDS", virial);
        let program = context.program_with(&[SLOT_RECORDS], &defines)?;
        let buffer = |name, len| context.gpu.buffer(name, len);
        Ok(SlotRecords {
            count: program.kernel("count_slots")?,
            scan: Scan::new(context)?,
            pack: program.kernel("pack_slots")?,
            clear: program.kernel("clear_slots")?,
            unpack: program.kernel("unpack_slots")?,
            width: 4 + force + 6 * virial,
            local: context.shape.scan_local,
            begins: RefCell::new(buffer("records before a group", 1)?),
            all: buffer("records of all groups", 1)?,
            told: RefCell::default(),
            told_ends: buffer("ends of atoms told of", ranks::count())?,
            ends: buffer("ends of records", ranks::count())?,
            packed: RefCell::new(buffer("records told", 1)?),
            heard: RefCell::new(buffer("records heard", 1)?),
        })
    }

    /// Has each rank hear of the slots that are for its atoms; `own` has the first atom of each rank.
    pub(super) fn exchange(
        &self,
        slots: &SlotArrays<'_>,
        (halo, own): (&Halo, &Buffer<u32>),
        window: &SharedWindow,
        atoms: &DeviceAtoms,
    ) -> Result<()> {
        let ends = self.pack(slots, halo, own, atoms)?;
        let (size, memory, ranks) = (4 * self.width, window.memory(), ends.len());
        let (half, total) = (memory.half(), size * ends.last().copied().unwrap_or(0));
        let show = |turn: usize| {
            memory.begin();
            memory.say_ends(ends.iter().map(|end| size * end), turn * half, 0);
            let shown = (turn * half).min(total) / 4..((turn + 1) * half).min(total) / 4;
            self.packed.borrow().show(Section::Comm, shown, window, 0, None)?;
            window.meet()
        };
        show(0)?;
        let of_rank = |rank| (memory.for_this(rank), memory.end(rank, ranks::rank() + 1));
        let told: Vec<(usize, usize)> = (0..ranks).map(of_rank).collect();
        let most = (0..ranks).map(|rank| memory.end(rank, ranks)).max().unwrap_or(0);
        let heard: usize = told.iter().map(|(begin, end)| end - begin).sum();
        make_room(&mut self.heard.borrow_mut(), &atoms.context, heard / 4)?;
        // In as many turns as the rank needs that has most to tell.
        for turn in 0..most.div_ceil(half).max(1) {
            if turn > 0 {
                show(turn)?;
            }
            let (first, mut before) = (turn * half, 0);
            for (rank, &(begin, end)) in told.iter().enumerate() {
                let (from, to) = (begin.max(first), end.min(first + half));
                if from < to {
                    let words = (before + from - begin) / 4..(before + to - begin) / 4;
                    self.heard.borrow().take(Section::Comm, words, window, (rank, from - first), false)?;
                }
                before += end - begin;
            }
        }
        self.unpack(slots, halo, heard / size, atoms)
    }

    /// Launches what makes records of the slots, and says up to which record each rank is told.
    fn pack(
        &self,
        slots: &SlotArrays<'_>,
        halo: &Halo,
        own: &Buffer<u32>,
        atoms: &DeviceAtoms,
    ) -> Result<Vec<usize>> {
        let (places, parts) = halo.told();
        let n = parts.last().map_or(0, |part| part.end);
        let groups = n.div_ceil(self.local);
        if n == 0 {
            return Ok(vec![0; parts.len()]);
        }
        let told: Vec<u32> = parts.iter().map(|part| part.end as u32).collect();
        if *self.told.borrow() != told {
            self.told_ends.write(Section::Comm, 0, &told)?;
            self.told.replace(told);
            make_room(&mut self.begins.borrow_mut(), &atoms.context, groups)?;
        }
        let begins = self.begins.borrow();
        let numbers = [slots.sets, slots.room, atoms.capacity, n].map(|number| Arg::U32(number as u32));
        let of = [places, &self.told_ends, own, slots.place, slots.count].map(Arg::from);
        let of = [&of[..], &numbers].concat();
        let items = groups * self.local;
        self.count.launch(Section::Comm, items, self.local, &[&of[..], &[(&*begins).into()]].concat())?;
        self.scan.run(Section::Comm, &begins, groups, &self.all)?;
        loop {
            let packed = self.packed.borrow();
            let most = packed.len() / self.width;
            // Any buffer, where there are no virials.
            let virial = slots.virial.map_or(slots.count.into(), Floats::arg);
            let rest = [(&*begins).into(), slots.force.arg(), virial, (&*packed).into(), (&self.ends).into()];
            let args = [&of[..], &rest, &[Arg::U32(most as u32)]].concat();
            self.pack.launch(Section::Comm, items, self.local, &args)?;
            let mut ends: Vec<usize> = Vec::with_capacity(parts.len());
            for (part, end) in parts.iter().zip(self.ends.read(Section::Comm, 0..parts.len())?) {
                let before = ends.last().copied().unwrap_or(0);
                ends.push(if part.is_empty() { before } else { end as usize });
            }
            drop(packed);
            let total = ends.last().copied().unwrap_or(0);
            if total <= most {
                return Ok(ends);
            }
            make_room(&mut self.packed.borrow_mut(), &atoms.context, total * self.width)?;
        }
    }

    /// Launches what makes slots of so many records.
    fn unpack(&self, slots: &SlotArrays<'_>, halo: &Halo, records: usize, atoms: &DeviceAtoms) -> Result<()> {
        let ((places, n), local) = (halo.heard(), atoms.context.shape.local);
        if n == 0 {
            return Ok(());
        }
        let word = |number: usize| Arg::U32(number as u32);
        let args = [places.into(), slots.count.into(), word(slots.sets), word(atoms.capacity), word(n)];
        self.clear.launch_each(Section::Comm, n, local, &args)?;
        let heard = self.heard.borrow();
        let virial = slots.virial.map_or(slots.count.into(), Floats::arg);
        let buffers = [(&*heard).into(), slots.place.into(), slots.count.into(), slots.force.arg(), virial];
        let args = [&buffers[..], &[slots.room, atoms.capacity, records].map(word)].concat();
        self.unpack.launch_each(Section::Comm, records, local, &args)
    }
}
