//! Atoms into cells: wrap and bin, sort, order, permute (cl/cell.cl).

use crate::domain::Domain;
use crate::error::Result;
use crate::gpu::{Buffer, Kernel};
use crate::kernels::{CELL, Context};
use crate::neighbor::grid::Grid;
use crate::neighbor::sort::RadixSort;
use crate::resident::Resident;
use crate::timing::Section;

/// The cell table and what it takes to fill it.
pub struct Cells {
    bin: Kernel,
    ranges_kernel: Kernel,
    order_kernel: Kernel,
    permute: Kernel,
    sort: RadixSort,
    keys: [Buffer<u32>; 2],
    sorted: [Buffer<u32>; 2],
    key_bits: u32,
    /// Octants (two cells per axis) of the extended grid.
    pub octants: usize,
    /// First atom and one behind the last, per cell by rank.
    pub ranges: Buffer<u32>,
    /// Rank of each cell of the extended grid, x fastest.
    pub rank: Buffer<u32>,
    /// The `Box` of cl/common.cl.
    pub box_buffer: Buffer<u8>,
}

impl Cells {
    /// For up to `n` atoms on a grid. `reach` is the longest list cutoff, also the ghost cutoff.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, n: usize, grid: &Grid, domain: &Domain, reach: f64) -> Result<Self> {
        let program = context.program(&[CELL])?;
        let gpu = &context.gpu;
        let bytes = grid.box_bytes(domain, reach, context.numerics);
        let cells = Cells {
            bin: program.kernel("bin_atoms")?,
            ranges_kernel: program.kernel("cell_ranges")?,
            order_kernel: program.kernel("order_cells")?,
            permute: program.kernel("permute_atoms")?,
            sort: RadixSort::new(context, n)?,
            keys: [gpu.buffer("keys", n)?, gpu.buffer("keys", n)?],
            sorted: [gpu.buffer("sorted", n)?, gpu.buffer("sorted", n)?],
            key_bits: grid.key_bits(),
            octants: (0..3).map(|d| (grid.cells[d] + 2 * grid.margin[d]).div_ceil(2)).product(),
            ranges: gpu.buffer("cell ranges", 2 * grid.rank.len())?,
            rank: gpu.buffer("cell ranks", grid.rank.len())?,
            box_buffer: gpu.buffer("box", bytes.len())?,
        };
        cells.rank.write(Section::Neigh, 0, &grid.rank)?;
        cells.box_buffer.write(Section::Comm, 0, &bytes)?;
        Ok(cells)
    }

    /// Follows a change of the box with the same grid.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_box(&self, context: &Context, grid: &Grid, domain: &Domain, reach: f64) -> Result<()> {
        self.box_buffer.write(Section::Comm, 0, &grid.box_bytes(domain, reach, context.numerics))
    }

    /// Wraps the atoms, puts them in the order (cell, tag) and fills the ranges of the box's cells.
    /// Atoms that left the box come last and halt the run; the number of the others goes to the status.
    ///
    /// # Errors
    /// When the device fails.
    pub fn assign(&self, atoms: &mut Resident) -> Result<()> {
        let local = atoms.context.shape.local;
        let n = atoms.n;
        let n_arg = n as u32;
        let columns = &atoms.columns;
        self.bin.launch_each(
            Section::Comm,
            n,
            local,
            &[
                (&columns.x).into(),
                (&columns.image).into(),
                (&self.keys[0]).into(),
                (&self.rank).into(),
                (&self.box_buffer).into(),
                (&atoms.status).into(),
                atoms.step.into(),
                n_arg.into(),
            ],
        )?;
        let [keys0, keys1] = &self.keys;
        let [sorted0, sorted1] = &self.sorted;
        let result = self.sort.run([keys0, keys1], [sorted0, sorted1], n, self.key_bits)?;
        let (keys, sorted, order) = (&self.keys[result], &self.sorted[result], &self.sorted[1 - result]);
        self.ranges.clear(Section::Neigh, 0..self.ranges.len())?;
        self.ranges_kernel.launch_each(
            Section::Neigh,
            n,
            local,
            &[keys.into(), (&self.ranges).into(), (&atoms.status).into(), atoms.step.into(), n_arg.into()],
        )?;
        self.order_kernel.launch_each(
            Section::Neigh,
            n,
            local,
            &[
                keys.into(),
                sorted.into(),
                (&self.ranges).into(),
                (&columns.tag).into(),
                order.into(),
                n_arg.into(),
            ],
        )?;
        let spare = &atoms.spare;
        self.permute.launch_each(
            Section::Neigh,
            n,
            local,
            &[
                order.into(),
                (&columns.x).into(),
                (&spare.x).into(),
                columns.v.arg(),
                spare.v.arg(),
                (&columns.image).into(),
                (&spare.image).into(),
                (&columns.tag).into(),
                (&spare.tag).into(),
                (&columns.kind).into(),
                (&spare.kind).into(),
                (&columns.mask).into(),
                (&spare.mask).into(),
                (&atoms.position).into(),
                (&atoms.built_at).into(),
                n_arg.into(),
            ],
        )?;
        std::mem::swap(&mut atoms.columns, &mut atoms.spare);
        Ok(())
    }
}
