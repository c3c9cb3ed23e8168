//! The two sorts of binned atoms by cells: by counting, and by radix.

use super::Cells;
use crate::base::error::Result;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::neighbor::sort::RadixSort;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer};
use std::ops::Range;

impl Cells {
    /// By counting those of each cell: places those of the atoms, so many from a first one on, that [`Cells::bin`] has put into cells, and fills the
    /// ranges of the cells.
    pub(super) fn sort_by_counting(
        &self,
        atoms: &DeviceAtoms,
        (begin, count): (usize, usize),
        after: &Range<usize>,
    ) -> Result<()> {
        let shape = atoms.context.shape;
        let (local, bins, step) = (shape.scan_local, Arg::U32(self.count as u32 + 1), Arg::U32(atoms.step));
        let [slots, sorted] = [&self.keys[0], &self.sorted[0]];
        if self.summed {
            let args = [(&self.counts).into(), (&self.sums).into(), bins];
            self.count_groups.launch(Section::Neigh, self.groups * local, local, &args)?;
        }
        self.count_ranges.launch(
            Section::Neigh,
            self.groups * local,
            local,
            &[
                (&self.counts).into(),
                (&self.sums).into(),
                (&self.cell_at).into(),
                (&self.ranges).into(),
                (&atoms.status).into(),
                step,
                i32::from(self.summed).into(),
                bins,
                Arg::U32(after.start as u32),
                Arg::U32((atoms.n - after.end) as u32),
            ],
        )?;
        self.place.launch_each(
            Section::Neigh,
            count,
            shape.local,
            &[
                (&self.cell).into(),
                slots.into(),
                (&self.ranges).into(),
                sorted.into(),
                (&self.counts).into(),
                (&atoms.status).into(),
                step,
                bins,
                Arg::U32(begin as u32),
                Arg::U32(atoms.n as u32),
                Arg::U32(count as u32),
            ],
        )
    }

    /// By the bits of their keys; returns where their order is.
    pub(super) fn sort_by_radix(&self, sort: &RadixSort, atoms: &DeviceAtoms) -> Result<&Buffer<u32>> {
        let [keys0, keys1] = &self.keys;
        let [sorted0, sorted1] = &self.sorted;
        let result = sort.run([keys0, keys1], [sorted0, sorted1], atoms.n, self.key_bits)?;
        if atoms.n == 0 {
            self.ranges.clear(Section::Neigh, 0..self.ranges.len())?;
        }
        self.ranges_of_keys.launch_each(
            Section::Neigh,
            atoms.n,
            atoms.context.shape.local,
            &[
                (&self.keys[result]).into(),
                (&self.cell_at).into(),
                (&self.ranges).into(),
                (&atoms.status).into(),
                Arg::U32(atoms.step),
                Arg::U32(self.count as u32),
                Arg::U32(atoms.n as u32),
            ],
        )?;
        Ok(&self.sorted[result])
    }
}
