//! Where the atoms of cells stand, listed on the device (`count_cell_atoms` and what follows in cl/comm/halo.cl).

use super::{halo_program, make_room};
use crate::base::error::Result;
use crate::engine::kernels::Context;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use std::ops::Range;

/// Work-groups that go over a run of cells (COUNT_GROUPS of the kernels).
const GROUPS: usize = 64;

/// Lists of the atoms of cells, of two runs of cells: those of which a rank tells others, and those of which it hears.
pub(super) struct CellAtoms {
    count: Kernel,
    sum_parts: Kernel,
    sum: Kernel,
    list: Kernel,
    local: usize,
    /// Where the atoms of each cell begin in its list.
    begins: [Buffer<u32>; 2],
    /// How many cells there are up to those of each rank, of one run behind the other, and how many atoms.
    cell_ends: Buffer<u32>,
    ends: Buffer<u32>,
    /// The sum of each part of both runs.
    parts: Buffer<u32>,
    ranks: usize,
}

impl CellAtoms {
    pub(super) fn new(context: &Context) -> Result<Self> {
        let program = halo_program(context)?;
        let buffer = |name| context.gpu.buffer(name, 1);
        Ok(CellAtoms {
            count: program.kernel("count_cell_atoms")?,
            sum_parts: program.kernel("sum_cell_parts")?,
            sum: program.kernel("sum_cell_atoms")?,
            list: program.kernel("list_cell_atoms")?,
            local: context.shape.scan_local,
            begins: [buffer("begins of cells told of")?, buffer("begins of cells heard of")?],
            cell_ends: buffer("ends of cells by rank")?,
            ends: buffer("ends of atoms by rank")?,
            parts: context.gpu.buffer("atoms of parts of cells", 2 * GROUPS)?,
            ranks: 0,
        })
    }

    /// Goes on with other cells: by rank how many there are in each run.
    pub(super) fn follow(&mut self, context: &Context, cells: [&[Range<usize>]; 2]) -> Result<()> {
        self.ranks = cells[0].len();
        let ends: Vec<u32> = cells.concat().iter().map(|part| part.end as u32).collect();
        make_room(&mut self.cell_ends, context, ends.len())?;
        make_room(&mut self.ends, context, ends.len())?;
        for (begins, cells) in self.begins.iter_mut().zip(cells) {
            make_room(begins, context, cells.last().map_or(0, |last| last.end) + 1)?;
        }
        self.cell_ends.write(Section::Comm, 0, &ends)
    }

    /// Where the atoms of each rank's cells end in the list of either run, by the first atom of each cell and the one behind its last.
    pub(super) fn count(
        &self,
        context: &Context,
        runs: [(&Buffer<u32>, usize); 2],
        ranges: &Buffer<u32>,
    ) -> Result<[Vec<usize>; 2]> {
        for (k, (cell, cells)) in runs.into_iter().enumerate() {
            let mut args = [cell, ranges, &self.begins[k]].map(Arg::from).to_vec();
            args.push(Arg::U32(cells as u32));
            self.count.launch_each(Section::Comm, cells.max(1), context.shape.local, &args)?;
        }
        let (items, [told, heard]) = (2 * GROUPS * self.local, &self.begins);
        let counts = runs.map(|(_, cells)| Arg::U32(cells as u32));
        let args = [&[told, heard, &self.parts].map(Arg::from)[..], &counts].concat();
        self.sum_parts.launch(Section::Comm, items, self.local, &args)?;
        let args = [told, heard, &self.parts, &self.cell_ends, &self.ends].map(Arg::from);
        let args = [&args[..], &[Arg::U32(self.ranks as u32)], &counts].concat();
        self.sum.launch(Section::Comm, items, self.local, &args)?;
        let ends = self.ends.read(Section::Comm, 0..2 * self.ranks)?;
        Ok([0, 1]
            .map(|k| ends[k * self.ranks..(k + 1) * self.ranks].iter().map(|&end| end as usize).collect()))
    }

    /// Launches the list of one of the two, which has been counted.
    pub(super) fn list(
        &self,
        context: &Context,
        run: usize,
        (cell, cells): (&Buffer<u32>, usize),
        ranges: &Buffer<u32>,
        places: &Buffer<u32>,
    ) -> Result<()> {
        let mut args = [cell, ranges, &self.begins[run], places].map(Arg::from).to_vec();
        args.push(Arg::U32(cells as u32));
        // One for none, too: it is launched once before the loop.
        self.list.launch_each(Section::Comm, cells.max(1), context.shape.local, &args)
    }
}
