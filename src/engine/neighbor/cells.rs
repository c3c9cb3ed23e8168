//! Atoms into cells: wrap and bin, sort, order, permute (cl/neighbor/cells.cl).

mod sorts;

use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::barrier::{BarrierFallback, group_barrier};
use crate::engine::device_atoms::{DeviceAtoms, accum};
use crate::engine::kernels::{BARRIER, CELLS, Context, EXCHANGE};
use crate::engine::neighbor::grid::Grid;
use crate::engine::neighbor::prediction::PositionPrediction;
use crate::engine::neighbor::sort::RadixSort;
use crate::engine::timing::ORDER_ATOMS;
use crate::gpu::options::TimingMode;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use crate::model::domain::{Domain, Flow};
use std::cell::Cell;
use std::ops::Range;

/// Cells, in units of what a group takes at a time, from which on their prefix sum has a launch for the sums of the groups.
/// Below, a group adds up what comes before it by itself.
const MANY_CELLS: usize = 16;

/// Orders that take several launches, at first and at most, when cores of a CPU have not come together for one.
const ORDERS_APART: [u32; 2] = [8, 64];

/// The cell table and what it takes to fill it.
pub struct Cells {
    set_box: Kernel,
    bin: Kernel,
    carry: Kernel,
    count_groups: Kernel,
    count_ranges: Kernel,
    place: Kernel,
    ranges_of_keys: Kernel,
    permute: Kernel,
    /// All but the radix sort in one launch, with its barrier.
    order: Option<(Kernel, Buffer<u32>)>,
    /// How many orders there have been, and up to which one they take several launches, as work-groups have not come together.
    orders: Cell<u32>,
    retreat: BarrierFallback,
    /// [`Domain::faces`].
    faces: Buffer<u64>,
    /// The next ones in several launches all the same.
    apart: bool,
    /// Where atoms are sorted by radix.
    sort: Option<RadixSort>,
    keys: [Buffer<u32>; 2],
    sorted: [Buffer<u32>; 2],
    cell: Buffer<u32>,
    counts: Buffer<u32>,
    sums: Buffer<u32>,
    key_bits: u32,
    count: usize,
    /// Groups of the prefix sum, and whether their sums have a launch before it.
    groups: usize,
    summed: bool,
    /// Blocks of cells, each for a work-group of the list builder.
    pub blocks: usize,
    /// Four words per block. With tiles: first atom, one behind the last, where its tile begins, positions in it. On CPUs,
    /// per octant in the order of the curve: first atom, one behind the last, its number among the octants, nothing.
    pub block_table: Buffer<u32>,
    /// With tiles, per block: the staged position that the tile's positions are relative to.
    pub centers: Buffer<u32>,
    /// First atom and one behind the last, per cell; one more for atoms behind a fixed face.
    pub ranges: Buffer<u32>,
    rank: Buffer<u32>,
    cell_at: Buffer<u32>,
    /// The `Box` of cl/common/common.cl.
    pub box_buffer: Buffer<u8>,
    /// One for each work-group that makes several steps, in which the box may move.
    pub boxes: Buffer<u8>,
}

impl Cells {
    /// Whether atoms stand in a cell by type, and only those of one type by tag. They do where four atoms share a list: it has all
    /// neighbours of the four, and fewer that count for one alone if all four reach equally far.
    pub fn have_atoms_by_type(context: &Context) -> bool {
        context.shape.cluster() > 1 && context.types > 1
    }

    /// For up to `n` atoms on a grid.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, n: usize, grid: &Grid, domain: &Domain) -> Result<Self> {
        let (gpu, shape) = (&context.gpu, context.shape);
        let bytes = grid.box_bytes(domain, domain, context.numerics, 0.0);
        let count = grid.rank.len();
        let at_a_time = shape.scan_local * shape.scan_items;
        let cores = (shape.clusters && shape.steps > 1).then_some(shape.cores);
        let summed = cores.is_none() && count >= MANY_CELLS * at_a_time;
        let groups = if let Some(cores) = cores {
            cores
        } else if summed {
            count.div_ceil(2 * at_a_time).min(shape.scan_groups)
        } else {
            count.div_ceil(2 * shape.scan_local)
        };
        let edge = shape.block_edge.max(2); // 0: octants
        let blocks = grid.cells.iter().map(|n| n.div_ceil(edge)).product();
        let octants = if shape.block_edge == 0 { grid.octants() } else { Vec::new() };
        let tiled = if shape.tile { blocks } else { 0 };
        // Whole work-groups of the pair kernel; what is behind the last octant has no atoms.
        let listed = tiled.max(octants.len().next_multiple_of(shape.pair_local));
        // Migration between ranks counts.
        let counting = shape.counting || ranks::count() > 1;
        let second = if counting { 0 } else { n };
        // Those that take turns in several launches are the same with and without the one that does their work at once.
        let together = group_barrier(context)?.filter(|_| shape.counting && !summed);
        let defines = match Cells::have_atoms_by_type(context) {
            true => context.defines().set("BY_TYPE", 1),
            false => context.defines(),
        };
        let program = match &together {
            None => context.program_with(&[CELLS], &defines)?,
            Some(_) => context.program_with(&[EXCHANGE, BARRIER, CELLS], &defines.set("TOGETHER", 1))?,
        };
        let order = match together {
            None => None,
            Some(group_barrier) => Some((program.kernel(ORDER_ATOMS)?, group_barrier)),
        };
        let [first, longest] = ORDERS_APART;
        let cells = Cells {
            order,
            orders: Cell::new(0),
            retreat: BarrierFallback::new(context, first, longest),
            apart: false,
            set_box: program.kernel("set_box")?,
            bin: program.kernel("bin_atoms")?,
            carry: program.kernel("carry_velocities")?,
            count_groups: program.kernel("count_groups")?,
            count_ranges: program.kernel("count_ranges")?,
            place: program.kernel("place_atoms")?,
            ranges_of_keys: program.kernel("cell_ranges")?,
            permute: program.kernel("permute_atoms")?,
            sort: if counting { None } else { Some(RadixSort::new(context, n)?) },
            keys: [gpu.buffer("keys", n)?, gpu.buffer("keys", second)?],
            sorted: [gpu.buffer("sorted", n)?, gpu.buffer("sorted", second)?],
            cell: gpu.buffer("cells of atoms", n)?,
            counts: gpu.buffer("atoms per cell", count + 1)?,
            sums: gpu.buffer("atoms per group of cells", groups)?,
            key_bits: grid.key_bits(),
            count,
            groups,
            summed,
            blocks,
            block_table: gpu.buffer("blocks", 4 * listed)?,
            centers: gpu.buffer("centers of blocks", context.numerics.staged_words() * tiled)?,
            ranges: gpu.buffer("cell ranges", 2 * (count + 1))?,
            rank: gpu.buffer("cell ranks", count)?,
            cell_at: gpu.buffer("cells by rank", count)?,
            box_buffer: gpu.buffer("box", bytes.len())?,
            boxes: gpu.buffer("boxes of groups", shape.groups_of_several(n) * bytes.len())?,
            faces: gpu.buffer("faces of the box", 15)?,
        };
        let faces = domain.faces();
        cells.faces.write(
            Section::Comm,
            0,
            &faces.as_flattened().iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
        )?;
        cells.rank.write(Section::Neigh, 0, &grid.rank)?;
        cells.cell_at.write(Section::Neigh, 0, &grid.cell_at)?;
        cells.box_buffer.write(Section::Comm, 0, &bytes)?;
        let rows: Vec<u32> = octants.into_iter().flat_map(|octant| [0, 0, octant, 0]).collect();
        cells.block_table.write(Section::Neigh, 0, &rows)?;
        Ok(cells)
    }

    /// Enqueues a change of the box with the same grid, since it was `built`, unless the run has halted at `step` or before.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_box(
        &self,
        atoms: &DeviceAtoms,
        grid: &Grid,
        [built, now]: &[Domain; 2],
        step: u32,
    ) -> Result<()> {
        // Of a single box arguments tell the trigger, or the device sets it before it reads it.
        let to = grid.box_bytes(now, built, atoms.context.numerics, 0.0);
        let args = [(&self.box_buffer).into(), Arg::Struct(&to), (&atoms.status).into(), step.into()];
        self.set_box.launch(Section::Comm, 1, 1, &args)
    }

    /// The lower and the upper corner of the box as the device has them now, which is not in single precision.
    ///
    /// # Errors
    /// When the device fails.
    pub fn corners(&self) -> Result<[[f64; 3]; 2]> {
        let bytes = self.box_buffer.read(Section::Modify, 0..2 * 3 * size_of::<f64>())?;
        let corners: Vec<f64> =
            bytes.chunks_exact(size_of::<f64>()).map(bytemuck::pod_read_unaligned).collect();
        Ok([0, 3].map(|first| std::array::from_fn(|d| corners[first + d])))
    }

    /// Gives those of some atoms that are about to be wrapped the velocity of the image that they become.
    ///
    /// # Errors
    /// When the device fails.
    pub fn carry(&self, atoms: &DeviceAtoms, flow: &Flow, some: Range<usize>) -> Result<()> {
        let (columns, numerics) = (&atoms.arrays, atoms.context.numerics);
        let mut args = vec![
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.mask).into(),
            (&self.box_buffer).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
            Arg::U32(flow.carried),
        ];
        args.extend(flow.rate.iter().map(|&rate| accum(numerics, rate)));
        args.extend([some.start, some.end].map(|place| Arg::U32(place as u32)));
        self.carry.launch_each(Section::Comm, some.len(), atoms.context.shape.local, &args)
    }

    /// Has what follows done in several launches, or in one again, unless work-groups have not come together for that of late.
    pub fn time_unfused(&mut self, apart: bool) {
        self.apart = apart || !self.retreat.is_over(self.orders.get());
    }

    /// Launches as the cells before did.
    pub fn launched_like(self, before: &Cells) -> Self {
        let orders = Cell::new(before.orders.get());
        Cells { orders, retreat: before.retreat, apart: before.apart, ..self }
    }

    /// Does not try to do all in one launch any more, for a while or for good.
    ///
    /// # Errors
    /// When the device fails.
    pub fn stay_apart(&mut self) -> Result<()> {
        let Some((_, group_barrier)) = &self.order else { return Ok(()) };
        self.retreat.begin(self.orders.get(), group_barrier)?;
        self.apart = true;
        log::info!(
            "work-groups did not come together to order the atoms in one launch: in several from here on"
        );
        Ok(())
    }

    /// As [`Cells::assign`], in one launch; work-groups that do not come together do nothing, and halt the run.
    ///
    /// # Errors
    /// When the device fails.
    fn assign_at_once(
        &self,
        (kernel, group_barrier): &(Kernel, Buffer<u32>),
        atoms: &mut DeviceAtoms,
        prediction: &[Arg<'_>],
    ) -> Result<()> {
        let local = atoms.context.shape.scan_local;
        let groups = match atoms.context.shape {
            shape if shape.clusters => shape.cores,
            _ => atoms.n.div_ceil(local).max(self.groups).min(atoms.context.gpu.info().units as usize),
        };
        let own = [
            (&self.keys[0]).into(),
            (&self.counts).into(),
            (&self.rank).into(),
            (&self.cell_at).into(),
            group_barrier.into(),
            (&self.faces).into(),
            Arg::U32(self.groups.min(groups) as u32),
            Arg::U32(self.count as u32 + 1),
        ];
        let extent = [atoms.capacity, atoms.n].map(|atoms| Arg::U32(atoms as u32));
        let args = [&own[..], &self.permuted(&self.sorted[0], atoms), prediction, &extent].concat();
        kernel.launch(Section::Neigh, groups * local, local, &args)?;
        atoms.swap_columns();
        Ok(())
    }

    /// PERMUTE_ARGUMENTS of cl/neighbor/cells.cl, the status and the step.
    fn permuted<'a>(&'a self, sorted: &'a Buffer<u32>, atoms: &'a DeviceAtoms) -> [Arg<'a>; 21] {
        let DeviceAtoms { arrays: columns, arrays_back: spare, .. } = atoms;
        [
            sorted.into(),
            (&self.cell).into(),
            (&self.ranges).into(),
            (&atoms.cell_of_atom).into(),
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
            (&atoms.packed).into(),
            (&atoms.x_hold).into(),
            (&self.box_buffer).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
        ]
    }

    /// Says that `n` atoms are about to be put into cells.
    pub(super) fn foresee(&self, context: &Context, n: usize) {
        let shape = context.shape;
        if let Some((order, _)) = self.order.as_ref().filter(|_| !self.apart) {
            order.foresee(shape.scan_local, shape.scan_local);
            if !self.are_apart_for_timing(context) {
                return;
            }
        }
        self.bin.foresee(n, shape.local);
        match &self.sort {
            Some(sort) => {
                sort.foresee(n);
                self.ranges_of_keys.foresee(n, shape.local);
            }
            None => {
                self.count_ranges.foresee(shape.scan_local, shape.scan_local);
                self.place.foresee(n, shape.local);
            }
        }
        self.permute.foresee(n, shape.local);
    }

    /// Whether there is one launch for all, and some rebuilds are in several all the same, to be timed.
    pub(super) fn are_apart_for_timing(&self, context: &Context) -> bool {
        self.order.is_some() && context.gpu.timing() != TimingMode::Off
    }

    /// Wraps the atoms, puts them in the order (cell, tag), or (cell, type, tag), and fills the ranges of the cells. Atoms that left
    /// the box come last and halt the run; the number of the others goes to the status. Cells are those where atoms are
    /// predicted to be, by the time `since` the step, or the cycle, of the build before.
    ///
    /// # Errors
    /// When the device fails.
    pub fn assign(&self, atoms: &mut DeviceAtoms, prediction: &PositionPrediction, since: u32) -> Result<()> {
        self.orders.update(|orders| orders + 1);
        if let Some(order) = self.order.as_ref().filter(|_| !self.apart) {
            return self.assign_at_once(order, atoms, &prediction.arguments(since));
        }
        let all = 0..atoms.n;
        self.bin(atoms, prediction, since, &all)?;
        match &self.sort {
            None => self.order(atoms, prediction, since, (&all, atoms.n), &all),
            Some(sort) => {
                let sorted = self.sort_by_radix(sort, atoms)?;
                self.permute(sorted, atoms, &prediction.arguments(since), &all)
            }
        }
    }

    /// The first part of it for some of the atoms: wraps them, and finds and counts their cells.
    ///
    /// # Errors
    /// When the device fails.
    pub fn bin(
        &self,
        atoms: &DeviceAtoms,
        prediction: &PositionPrediction,
        since: u32,
        some: &Range<usize>,
    ) -> Result<()> {
        let shape = atoms.context.shape;
        let columns = &atoms.arrays;
        let first = [
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.image).into(),
            (&self.cell).into(),
            (&self.keys[0]).into(),
            (&self.counts).into(),
            (&self.rank).into(),
            (&self.box_buffer).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
        ];
        let counting = i32::from(self.counts_atoms()).into();
        let last = [counting, Arg::U32(some.start as u32), Arg::U32(some.len() as u32)];
        let args = [&first[..], &prediction.arguments(since), &last].concat();
        self.bin.launch_each(Section::Comm, some.len(), shape.local, &args)
    }

    /// Whether atoms are sorted by counting those of each cell.
    pub fn counts_atoms(&self) -> bool {
        self.sort.is_none()
    }

    /// The second part, with the counting sort: orders those of the atoms that are in some cell, so many from the start of the range
    /// `before` on, after the last at the first place again. They come to the places `after`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn order(
        &self,
        atoms: &mut DeviceAtoms,
        prediction: &PositionPrediction,
        since: u32,
        (before, count): (&Range<usize>, usize),
        after: &Range<usize>,
    ) -> Result<()> {
        self.sort_by_counting(atoms, (before.start, count), after)?;
        self.permute(&self.sorted[0], atoms, &prediction.arguments(since), after)
    }

    /// Forgets which blocks have atoms, where builders go by some of the atoms alone: they note the blocks of these.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forget_blocks(&self) -> Result<()> {
        let tiled = !self.centers.is_empty();
        if tiled { self.block_table.clear(Section::Neigh, 0..self.block_table.len()) } else { Ok(()) }
    }

    /// Forgets how many atoms have been [counted](Cells::bin) in cells, where they are counted anew.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forget_counts(&self) -> Result<()> {
        self.counts.clear(Section::Neigh, 0..self.counts.len())
    }

    /// What migration takes: each atom's cell, its number there, how many atoms each cell has, and the cells' places along the curve.
    pub fn counted(&self) -> [&Buffer<u32>; 4] {
        [&self.cell, &self.keys[0], &self.counts, &self.rank]
    }

    fn permute(
        &self,
        sorted: &Buffer<u32>,
        atoms: &mut DeviceAtoms,
        prediction: &[Arg<'_>],
        places: &Range<usize>,
    ) -> Result<()> {
        let extent = [atoms.capacity, places.start, places.len()].map(|number| Arg::U32(number as u32));
        let args = [&self.permuted(sorted, atoms)[..], prediction, &extent].concat();
        self.permute.launch_each(Section::Comm, places.len(), atoms.context.shape.local, &args)?;
        atoms.swap_columns();
        Ok(())
    }
}
