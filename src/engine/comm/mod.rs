//! The work of a run shared out among the ranks that mpirun has started (`base::ranks`).
//!
//! - this file: whose lists and forces a rank makes, and how the others learn of them. Start here.
//! - `division`: which cells are whose
//! - `cell_atoms`: where the atoms of cells stand
//! - `halo`: the atoms of others that a rank's lists name
//! - `migration`: atoms that go from rank to rank
//! - `phases`: which forces of a step come first, and which lists of a rebuild, so that exchanges go on beside the others
//! - `slots`: what is told of partial forces
//! - `step_sums`: sums over atoms that each step goes on with
//! - `sum_parts`: whose the other sums over atoms are
//! - `work`: where shares are cut so that all have as much work
//!
//! Every rank has room for all atoms, in the same order, and makes the lists and forces of its own: a run of whole blocks of cells along the
//! curve, about as many atoms as each of the others has. What a pass over the lists leaves of atoms goes to the ranks that need it before
//! anything else reads it: to all of them ([`Shares::gather`]), or, where only lists read it, to those whose lists do
//! ([`Shares::tell`]). What takes time in proportion to the atoms alone, each rank may do for all of them. So every number has the
//! bits that it has on one rank, whatever the script does.
//!
//! Blocks are whole because a list's order of entries, and with it a force's last bits, follows from the block.

mod cell_atoms;
mod division;
mod halo;
mod migration;
mod phases;
mod slots;
mod step_sums;
mod sum_parts;
mod work;

use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats, Halt};
use crate::engine::kernels::{Context, HALO};
use crate::engine::neighbor::cells::Cells;
use crate::engine::neighbor::grid::Grid;
use crate::engine::neighbor::prediction::PositionPrediction;
use crate::gpu::record::Section;
use crate::gpu::{Buffer, Program, SharedWindow};
use cell_atoms::CellAtoms;
use division::Division;
pub use division::Weights;
use halo::{Halo, Words};
use migration::Migration;
pub use phases::{Blocks, Phases};
pub use slots::{SlotArrays, SlotRecords};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;
pub use step_sums::{Numbers, StepSums, SumShape};
pub use sum_parts::SumParts;
pub use work::AtomWork;

/// Which atoms are each rank's.
pub struct Shares {
    division: Division,
    parts: Vec<Range<usize>>,
    /// The first atom of each rank, and how many atoms there are.
    ends: Buffer<u32>,
    halo: Halo,
    /// The exchange of what is known of cells near borders, and of atoms, between rebuilds in which ranks know their own atoms only.
    cells: Halo,
    lists: CellAtoms,
    migration: Migration,
    phases: Option<Phases>,
    /// What ranks show one another.
    window: RefCell<Option<Rc<SharedWindow>>>,
    /// Memory for what is gathered by messages.
    bytes: RefCell<Vec<u8>>,
}

/// The most of a window's half, in bytes, that what is gathered takes at a time: a compromise of memory and waiting.
const AT_A_TIME: usize = 1 << 23;

/// Words of 32 bits of an atom, at most, that lists read: those for which a window has room.
const WIDEST: usize = 8;

/// The kernels of cl/comm/halo.cl.
fn halo_program(context: &Context) -> Result<Program> {
    context.program_with(&[HALO], &context.defines().set("COUNT_LOCAL", context.shape.scan_local))
}

/// Has a buffer room for so many words; what it holds may be lost.
fn make_room(buffer: &mut Buffer<u32>, context: &Context, words: usize) -> Result<()> {
    if buffer.len() < words {
        *buffer = context.gpu.buffer(buffer.name(), words + words / 16)?;
    }
    Ok(())
}

/// Writes where the atoms of each rank begin, and how many there are.
fn write_ends(ends: &Buffer<u32>, parts: &[Range<usize>]) -> Result<()> {
    let all = parts.iter().map(|part| part.start).chain(parts.last().map(|part| part.end));
    ends.write(Section::Comm, 0, &all.map(|end| end as u32).collect::<Vec<_>>())
}

/// How numbers of atoms lie in a buffer: in rows, `stride` atoms apart, with `width` numbers of each atom.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Numbers of an atom, side by side.
    pub width: usize,
    /// How many rows there are.
    pub count: usize,
    /// Atoms from one row to the next.
    pub stride: usize,
}

impl Rows {
    /// One row.
    pub fn one(width: usize) -> Self {
        Rows { width, count: 1, stride: 0 }
    }
}

impl Shares {
    /// Of atoms that have come into the order of the cells of a grid, which has blocks of so many cells each way; as `before`, while
    /// that is as good. Waits for the device.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        before: Option<Shares>,
        atoms: &DeviceAtoms,
        cells: &Cells,
        grid: &Grid,
        edge: usize,
        weights: &Weights,
    ) -> Result<Self> {
        let context = &atoms.context;
        let (division, exchanges, bytes) = match before {
            Some(Shares { division, halo, cells, lists, migration, phases, bytes, .. }) => {
                (Some(division), Some((halo, cells, lists, migration, phases)), bytes)
            }
            None => (None, None, RefCell::default()),
        };
        let (is_first, mut is_new) = (exchanges.is_none(), false);
        let (mut halo, mut near, mut lists, migration, mut phases) = match exchanges {
            Some(exchanges) => exchanges,
            None => {
                let migration = Migration::new(context)?;
                migration.warm_up(atoms, cells)?;
                (
                    Halo::new(context)?,
                    Halo::new(context)?,
                    CellAtoms::new(context)?,
                    migration,
                    Phases::new(context)?,
                )
            }
        };
        let (n, own) = (atoms.n, ranks::rank());
        let (division, parts, places) =
            cells.ranges.view(Section::Comm, 0..cells.ranges.len(), |ranges| {
                let kept =
                    division.filter(|division| division.is_of(grid, weights) && division.suits(ranges, n));
                let division = kept.unwrap_or_else(|| {
                    is_new = true;
                    Division::new(grid, edge, ranges, n, weights)
                });
                let (parts, places) = (division.parts(ranges, n), division.places(ranges, own));
                (division, parts, places)
            })?;
        halo.follow(context, &places)?;
        // Cells and blocks stay whose they are as long as the division does.
        if is_new {
            near.follow(context, &division.near(own))?;
            lists.follow(context, near.parts())?;
            if let Some(phases) = &mut phases {
                phases.follow(context, division.blocks(own, edge))?;
            }
        }
        if is_first {
            near.warm_up(&lists, atoms, &cells.ranges)?;
        }
        let ends = context.gpu.buffer("ends of ranks", parts.len() + 1)?;
        write_ends(&ends, &parts)?;
        let gathered = 32 * parts.iter().map(Range::len).max().unwrap_or(0);
        let half = halo.most_told(WIDEST).max(near.most_told(WIDEST)).max(gathered.min(AT_A_TIME));
        let window = RefCell::new(context.gpu.shared_window(half));
        Ok(Shares { division, parts, ends, halo, cells: near, lists, migration, phases, window, bytes })
    }

    /// Whether atoms may go from rank to rank at the next rebuild in such a grid, without all ranks knowing all of them. The same on all
    /// ranks.
    pub fn may_migrate(&self, grid: &Grid, weights: &Weights) -> bool {
        self.window().is_some()
            && self.division.is_of(grid, weights)
            && weights.suit(&self.parts)
            && self.has_few_ghosts()
    }

    /// Whether ghosts are so few that it pays to tell these only.
    fn has_few_ghosts(&self) -> bool {
        2 * self.halo.most() < self.parts.last().map_or(0, |part| part.end)
    }

    /// Of the atoms of this rank, which have been [binned](Cells::bin), sends those that are in cells of another one there, and has those that
    /// come from others stand behind its own. Says how many have come; [`Shares::own`] is then where the atoms of this rank are to be. `None`,
    /// and nothing is done, where some rank has atoms in no cell.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn migrate(
        &mut self,
        atoms: &DeviceAtoms,
        cells: &Cells,
        prediction: &PositionPrediction,
    ) -> Result<Option<usize>> {
        let Some(window) = self.window() else { return Ok(None) };
        let own = self.own();
        let exchanged = self.migration.exchange(&window, &self.division, atoms, cells, prediction, &own)?;
        let Some((counts, come)) = exchanged else { return Ok(None) };
        log::debug!("{come} atoms have come from other ranks");
        let mut end = 0;
        for (part, count) in self.parts.iter_mut().zip(counts) {
            *part = end..end + count;
            end += count;
        }
        write_ends(&self.ends, &self.parts)?;
        Ok(Some(come))
    }

    /// Behind a migration, once the atoms of each rank are in order: which atoms of others its lists may name, and where they are;
    /// `beside` what the device has to do meanwhile.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn meet_neighbors(
        &mut self,
        atoms: &DeviceAtoms,
        cells: &Cells,
        beside: Option<impl FnOnce(&Blocks) -> Result<()>>,
    ) -> Result<()> {
        let words = Words::row((&cells.ranges).into(), 2);
        self.exchange_beside(&self.cells, words, atoms, beside)?;
        self.halo.follow_cells(&self.cells, &self.lists, atoms, &cells.ranges)?;
        self.window.replace(atoms.context.gpu.shared_window(self.halo.most_told(WIDEST)));
        Ok(())
    }

    /// The atoms of this rank.
    pub fn own(&self) -> Range<usize> {
        self.parts[ranks::rank()].clone()
    }

    /// As [`Shares::tell`] to lists of staged positions, which are known as soon as what is enqueued has been done: `meanwhile` enqueues what
    /// need not be done before. Where atoms are `watched` in that, too, it may halt.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tell_meanwhile(
        &self,
        staged: &Buffer<u32>,
        atoms: &DeviceAtoms,
        watched: bool,
        meanwhile: impl FnOnce() -> Result<()>,
    ) -> Result<Option<Halt>> {
        let Some(window) = self.window() else { return Ok(None) };
        let words = Words::row(staged.into(), atoms.context.numerics.staged_words());
        let halt = self.halo.exchange_meanwhile(&window, words, atoms, meanwhile)?;
        match watched {
            true => self.halo.tell_of_halt(&window, atoms).map(Some),
            false => Ok(Some(halt)),
        }
    }

    /// The first atom of each rank, and how many atoms there are.
    pub fn ends(&self) -> &Buffer<u32> {
        &self.ends
    }

    /// The atoms of each rank.
    pub fn parts(&self) -> &[Range<usize>] {
        &self.parts
    }

    /// How many atoms of others this rank's lists may name.
    pub fn ghosts(&self) -> usize {
        self.halo.ghosts()
    }

    /// The places of these, and how many they are.
    pub fn places_of_ghosts(&self) -> (&Buffer<u32>, usize) {
        self.halo.heard()
    }

    /// Has all ranks know what each has left of its own atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather<T: bytemuck::Pod>(&self, buffer: &Buffer<T>, rows: Rows) -> Result<()> {
        self.gather_parts(buffer, rows, &self.parts)
    }

    /// The same of a range of each rank's atoms.
    pub(super) fn gather_parts<T: bytemuck::Pod>(
        &self,
        buffer: &Buffer<T>,
        rows: Rows,
        atoms: &[Range<usize>],
    ) -> Result<()> {
        if let Some(window) = self.window().filter(|window| window.memory().is_seen_by_all()) {
            return self.gather_through(&window, buffer, rows, atoms);
        }
        let Rows { width, count, stride } = rows;
        let size = count * width * size_of::<T>();
        // Of each rank all its rows, one after another.
        let mut end = 0;
        let mut after = |part: &Range<usize>| {
            end += part.len() * size;
            end - part.len() * size..end
        };
        let parts: Vec<Range<usize>> = atoms.iter().map(&mut after).collect();
        let bytes = &mut *self.bytes.borrow_mut();
        bytes.resize(parts.last().map_or(0, |part| part.end), 0);
        let rows_of = |rank: usize| {
            let (part, length) = (&atoms[rank], atoms[rank].len() * width * size_of::<T>());
            let numbers = move |row: usize| {
                let first = row * stride * width;
                first + part.start * width..first + part.end * width
            };
            let begin = parts[rank].start;
            (0..count).map(move |row| (numbers(row), begin + row * length..begin + (row + 1) * length))
        };
        let own = ranks::rank();
        for (numbers, place) in rows_of(own).filter(|(numbers, _)| !numbers.is_empty()) {
            buffer.view(Section::Comm, numbers, |numbers| {
                bytes[place].copy_from_slice(bytemuck::cast_slice(numbers));
            })?;
        }
        ranks::gather(bytes, &parts);
        let others = (0..parts.len()).filter(|rank| *rank != own).flat_map(rows_of);
        for (numbers, place) in others.filter(|(numbers, _)| !numbers.is_empty()) {
            buffer.fill(Section::Comm, numbers, |numbers| {
                bytemuck::cast_slice_mut(numbers).copy_from_slice(&bytes[place]);
            })?;
        }
        Ok(())
    }

    /// The same in turns, of as many atoms each as a window has room for.
    fn gather_through<T: bytemuck::Pod>(
        &self,
        window: &SharedWindow,
        buffer: &Buffer<T>,
        rows: Rows,
        atoms: &[Range<usize>],
    ) -> Result<()> {
        let Rows { width, count, stride } = rows;
        let at_once = (window.memory().half() / (width * size_of::<T>())).max(1);
        let most = atoms.iter().map(Range::len).max().unwrap_or(0);
        let (own, steps) = (ranks::rank(), most.div_ceil(at_once));
        for (row, step) in (0..count).flat_map(|row| (0..steps).map(move |step| (row, step))) {
            let numbers = |part: &Range<usize>| {
                let begin = (part.start + step * at_once).min(part.end);
                let end = (begin + at_once).min(part.end);
                (row * stride + begin) * width..(row * stride + end) * width
            };
            window.memory().begin();
            buffer.show(Section::Comm, numbers(&atoms[own]), window, 0, None)?;
            window.meet()?;
            for (rank, part) in atoms.iter().enumerate().filter(|(rank, _)| *rank != own) {
                buffer.take(Section::Comm, numbers(part), window, (rank, 0), false)?;
            }
        }
        Ok(())
    }

    /// The same of numbers whose type goes by the precision.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather_floats(&self, floats: &Floats, rows: Rows) -> Result<()> {
        self.gather_float_parts(floats, rows, &self.parts)
    }

    /// The same of a range of each rank's.
    pub(super) fn gather_float_parts(
        &self,
        floats: &Floats,
        rows: Rows,
        parts: &[Range<usize>],
    ) -> Result<()> {
        match floats {
            Floats::Narrow(buffer) => self.gather_parts(buffer, rows, parts),
            Floats::Wide(buffer) => self.gather_parts(buffer, rows, parts),
        }
    }

    /// What lists read: has each rank know at least what others have left of those of their atoms that its lists may name; of all atoms where
    /// these are many, or where not `only_lists` name atoms. Says what the status of any rank says of a halt, where that has come along.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tell<T: bytemuck::Pod>(
        &self,
        buffer: &Buffer<T>,
        rows: Rows,
        only_lists: bool,
        atoms: &DeviceAtoms,
    ) -> Result<Option<Halt>> {
        // The same on all ranks.
        if !(only_lists && self.has_few_ghosts()) {
            return self.gather(buffer, rows).map(|()| None);
        }
        let width = rows.width * size_of::<T>() / size_of::<u32>();
        // As many rows at once as take no more room than what is gathered does.
        let at_once = (AT_A_TIME / self.halo.most_told(width)).clamp(1, rows.count);
        let window = self.window_for(at_once * width, atoms);
        let mut said: Option<Halt> = None;
        for first in (0..rows.count).step_by(at_once) {
            let last = (first + at_once).min(rows.count);
            let words = Words { buffer: buffer.into(), width, rows: (first, last), stride: rows.stride };
            let halt = self.halo.exchange(words, window.as_deref(), atoms)?;
            said = halt.map(|halt| said.map_or(halt, |said| said.or(&halt)));
        }
        Ok(said)
    }

    /// Has each rank know at least those partial forces in slots that others have for its atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn tell_slots(
        &self,
        records: &SlotRecords,
        slots: &SlotArrays<'_>,
        atoms: &DeviceAtoms,
    ) -> Result<()> {
        // The same on all ranks.
        if let Some(window) = self.window().filter(|_| self.has_few_ghosts()) {
            return records.exchange(slots, (&self.halo, &self.ends), &window, atoms);
        }
        let rows = |width, count| Rows { width, count, stride: atoms.capacity };
        let all = slots.sets * slots.room;
        // SLOT_AT of cl/common/common.cl. Ranks share out atoms by shapes for what their devices have in common.
        let (side_by_side, apart) =
            if atoms.context.shape.cluster() > 1 { (slots.room, slots.sets) } else { (1, all) };
        self.tell(slots.place, rows(side_by_side, apart), true, atoms)?;
        self.tell_floats(slots.force, rows(4 * side_by_side, apart), true, atoms)?;
        self.tell(slots.count, rows(1, slots.sets), true, atoms)?;
        let virials = rows(1, 6 * (all + slots.sets));
        slots.virial.iter().try_for_each(|virial| self.tell_floats(virial, virials, true, atoms).map(drop))
    }

    fn window(&self) -> Option<Rc<SharedWindow>> {
        self.window.borrow().clone()
    }

    /// The same, with room for what is told in so many words of an atom; the same on all ranks, as is what there is to tell.
    fn window_for(&self, words: usize, atoms: &DeviceAtoms) -> Option<Rc<SharedWindow>> {
        let (mut window, half) = (self.window.borrow_mut(), self.halo.most_told(words));
        if window.as_ref()?.memory().half() < half {
            *window = atoms.context.gpu.shared_window(half);
        }
        window.clone()
    }

    /// Behind [`Shares::tell`] to lists of staged positions: what has been heard is known in another buffer of them, too.
    ///
    /// # Errors
    /// When the device fails.
    pub fn repeat(&self, staged: &Buffer<u32>, atoms: &DeviceAtoms) -> Result<()> {
        let width = atoms.context.numerics.staged_words();
        match self.has_few_ghosts() {
            true => self.halo.repeat(Words::row(staged.into(), width), &atoms.context),
            // Nothing was told to lists alone.
            false => self.gather(staged, Rows::one(width)),
        }
    }

    /// The same of numbers whose type goes by the precision.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tell_floats(
        &self,
        floats: &Floats,
        rows: Rows,
        only_lists: bool,
        atoms: &DeviceAtoms,
    ) -> Result<Option<Halt>> {
        match floats {
            Floats::Narrow(buffer) => self.tell(buffer, rows, only_lists, atoms),
            Floats::Wide(buffer) => self.tell(buffer, rows, only_lists, atoms),
        }
    }
}
