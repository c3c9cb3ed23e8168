//! The work of a run shared out among the ranks that mpirun has started (`base::ranks`).
//!
//! - this file: whose lists and forces a rank makes, and how the others learn of them. Start here.
//! - `division`: which cells are whose
//! - `halo`: the atoms of others that a rank's lists name
//!
//! Every rank has all atoms, in the same order, and makes the lists and forces of its own: a run of whole blocks of cells along the
//! curve, about as many atoms as each of the others has. What a pass over the lists leaves of atoms goes to the ranks that need it before
//! anything else reads it: to all of them ([`Shares::gather`]), or, where only lists read it, to those whose lists do
//! ([`Shares::tell`]). What takes time in proportion to the atoms alone, each rank may do for all of them. So every number has the
//! bits that it has on one rank, whatever the script does.
//!
//! Blocks are whole because a list's order of entries, and with it a force's last bits, follows from the block.

mod division;
mod halo;

use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::kernels::Context;
use crate::engine::neighbor::cells::Cells;
use crate::engine::neighbor::grid::Grid;
use crate::gpu::Buffer;
use crate::gpu::record::Section;
use division::Division;
use halo::{Halo, Words};
use std::cell::RefCell;
use std::ops::Range;

/// Which atoms are each rank's.
pub struct Shares {
    division: Division,
    parts: Vec<Range<usize>>,
    halo: Halo,
    /// Memory for what is gathered.
    bytes: RefCell<Vec<u8>>,
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
    ) -> Result<Self> {
        let (division, halo, bytes) = match before {
            Some(Shares { division, halo, bytes, .. }) => (Some(division), Some(halo), bytes),
            None => (None, None, RefCell::default()),
        };
        let mut halo = halo.map_or_else(|| Halo::new(&atoms.context), Ok)?;
        let (n, count, own) = (atoms.n, ranks::count(), ranks::rank());
        let (division, parts, places) =
            cells.ranges.view(Section::Comm, 0..cells.ranges.len(), |ranges| {
                let kept = division.filter(|division| division.is_of(grid) && division.is_even(ranges, n));
                let division = kept.unwrap_or_else(|| Division::new(grid, edge, ranges, n, count));
                let (parts, places) = (division.parts(ranges, n), division.places(ranges, own));
                (division, parts, places)
            })?;
        halo.follow(&atoms.context, &places)?;
        Ok(Shares { division, parts, halo, bytes })
    }

    /// The atoms of this rank.
    pub fn own(&self) -> Range<usize> {
        self.parts[ranks::rank()].clone()
    }

    /// How many atoms of others this rank's lists may name.
    pub fn ghosts(&self) -> usize {
        self.halo.ghosts()
    }

    /// Has all ranks know what each has left of its own atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather<T: bytemuck::Pod>(&self, buffer: &Buffer<T>, rows: Rows) -> Result<()> {
        let Rows { width, count, stride } = rows;
        let size = count * width * size_of::<T>();
        // Of each rank all its rows, one after another.
        let parts: Vec<Range<usize>> =
            self.parts.iter().map(|part| part.start * size..part.end * size).collect();
        let bytes = &mut *self.bytes.borrow_mut();
        bytes.resize(parts.last().map_or(0, |part| part.end), 0);
        let rows_of = |rank: usize| {
            let (part, length) = (&self.parts[rank], self.parts[rank].len() * width * size_of::<T>());
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

    /// The same of numbers whose type goes by the precision.
    ///
    /// # Errors
    /// When the device fails.
    pub fn gather_floats(&self, floats: &Floats, rows: Rows) -> Result<()> {
        match floats {
            Floats::Narrow(buffer) => self.gather(buffer, rows),
            Floats::Wide(buffer) => self.gather(buffer, rows),
        }
    }

    /// What lists read: has each rank know at least what others have left of those of their atoms that its lists may name; of all atoms where
    /// these are many, where there are copies of the box, or where not `only_lists` name atoms.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tell<T: bytemuck::Pod>(
        &self,
        buffer: &Buffer<T>,
        rows: Rows,
        only_lists: bool,
        context: &Context,
    ) -> Result<()> {
        // The same on all ranks.
        let few = 2 * self.halo.most() < self.parts.last().map_or(0, |part| part.end);
        if !(only_lists && few && rows.count == 1) {
            return self.gather(buffer, rows);
        }
        let width = rows.width * size_of::<T>() / size_of::<u32>();
        self.halo.exchange(Words { buffer: buffer.into(), width }, context)
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
        context: &Context,
    ) -> Result<()> {
        match floats {
            Floats::Narrow(buffer) => self.tell(buffer, rows, only_lists, context),
            Floats::Wide(buffer) => self.tell(buffer, rows, only_lists, context),
        }
    }
}
