//! The work of a run shared out among the ranks that mpirun has started (`base::ranks`).
//!
//! Every rank has all atoms, in the same order, and makes the lists and forces of its own: a run of whole blocks of cells along the
//! curve, about as many atoms as each of the others has. What a pass over the lists leaves of atoms goes to all ranks before anything
//! else reads it ([`Shares::gather`]). All that takes time in proportion to the atoms alone, each rank does for all of them. So every
//! number has the bits that it has on one rank, whatever the script does.
//!
//! Blocks are whole because a list's order of entries, and with it a force's last bits, follows from the block.

use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Floats};
use crate::engine::neighbor::grid::Grid;
use crate::gpu::Buffer;
use crate::gpu::record::Section;
use std::cell::RefCell;
use std::ops::Range;

/// Cells of so many atoms are read at first to find where a block begins.
const WINDOW: usize = 512;

/// Which atoms are each rank's.
#[derive(Debug, Default)]
pub struct Shares {
    parts: Vec<Range<usize>>,
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
    /// Of atoms that are in the order of the cells of a grid, in blocks of so many cells each way. Waits for the device.
    ///
    /// # Errors
    /// When the device fails.
    pub fn new(atoms: &DeviceAtoms, grid: &Grid, edge: usize) -> Result<Self> {
        let (n, count) = (atoms.n, ranks::count());
        let mut begins = vec![0];
        for rank in 1..count {
            let least = begins[rank - 1];
            begins.push(block_begin(atoms, grid, edge, n * rank / count)?.max(least));
        }
        begins.push(n);
        let parts = begins.windows(2).map(|ends| ends[0]..ends[1]).collect();
        Ok(Shares { parts, bytes: RefCell::default() })
    }

    /// The atoms of this rank.
    pub fn own(&self) -> Range<usize> {
        self.parts[ranks::rank()].clone()
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
}

/// The first atom of a block that is not far from an atom.
fn block_begin(atoms: &DeviceAtoms, grid: &Grid, edge: usize, near: usize) -> Result<usize> {
    let [nx, ny, _] = grid.cells;
    let block = |cell: u32| {
        let cell = cell as usize;
        [cell % nx, cell / nx % ny, cell / (nx * ny)].map(|number| number / edge)
    };
    let mut reach = WINDOW;
    loop {
        let (low, high) = (near.saturating_sub(reach), (near + reach).min(atoms.n));
        let begin = atoms.cell_of_atom.view(Section::Comm, low..high, |cells| {
            let begins = (1..cells.len()).filter(|&k| block(cells[k]) != block(cells[k - 1]));
            begins.map(|k| low + k).min_by_key(|&begin| (begin.abs_diff(near), begin))
        })?;
        match begin {
            Some(begin) => return Ok(begin),
            None if low == 0 || high == atoms.n => {
                // The block reaches to an end: whichever is nearer.
                return Ok(if near - low <= high - near && low == 0 { 0 } else { atoms.n });
            }
            None => reach *= 4,
        }
    }
}
