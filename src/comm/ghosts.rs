//! Creation and refreshing of ghost atoms (cl/ghost.cl).

use crate::domain::Domain;
use crate::error::Result;
use crate::gpu::{Buffer, Kernel};
use crate::kernels::{CELL, Context, GHOST};
use crate::neighbor::grid::Grid;
use crate::neighbor::sort::Scan;
use crate::resident::Resident;
use crate::timing::Section;

/// The periodic images near the box.
pub struct Ghosts {
    count: Kernel,
    fill: Kernel,
    refresh: Kernel,
    scan: Scan,
    /// Ghost cells of the grid, four words each.
    cells: Buffer<u32>,
    cell_count: usize,
    counts: Buffer<u32>,
    /// (atom, shift) per ghost.
    sources: Buffer<u32>,
    /// Shifts as differences of staged positions.
    shifts: Buffer<u32>,
    /// The shifts in box lengths.
    boxes: Vec<[i32; 3]>,
    capacity: usize,
    /// How many there were when the host last looked.
    pub n: usize,
}

impl Ghosts {
    /// For a grid, with room for `capacity` ghosts.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, grid: &Grid, domain: &Domain, capacity: usize) -> Result<Self> {
        let program = context.program(&[CELL, GHOST])?;
        let gpu = &context.gpu;
        let words = context.numerics.staged_words();
        let ghosts = Ghosts {
            count: program.kernel("ghost_count")?,
            fill: program.kernel("ghost_fill")?,
            refresh: program.kernel("ghost_refresh")?,
            scan: Scan::new(context)?,
            cells: gpu.buffer("ghost cells", 4 * grid.ghost_cells.len())?,
            cell_count: grid.ghost_cells.len(),
            counts: gpu.buffer("ghosts per cell", grid.ghost_cells.len())?,
            sources: gpu.buffer("ghost sources", 2 * capacity)?,
            shifts: gpu.buffer("ghost shifts", grid.shifts.len() * words)?,
            boxes: grid.shifts.clone(),
            capacity,
            n: 0,
        };
        ghosts.cells.write(Section::Comm, 0, bytemuck::cast_slice(&grid.ghost_cells))?;
        ghosts.set_shifts(context, grid, domain)?;
        Ok(ghosts)
    }

    /// Follows a change of the box with the same grid.
    ///
    /// # Errors
    /// When the device fails.
    pub fn set_shifts(&self, context: &Context, grid: &Grid, domain: &Domain) -> Result<()> {
        let staged: Vec<u32> =
            grid.shift_lengths(domain).flat_map(|shift| context.numerics.stage_shift(shift, 0)).collect();
        self.shifts.write(Section::Comm, 0, &staged)
    }

    /// Makes room for `capacity` ghosts here and behind the local atoms.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn grow(&mut self, atoms: &mut Resident, capacity: usize) -> Result<()> {
        self.sources = atoms.context.gpu.buffer("ghost sources", 2 * capacity)?;
        self.capacity = capacity;
        atoms.grow_ghosts(capacity)
    }

    /// How many ghosts fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Enqueues the creation of ghosts for atoms in cell order, and their ranges in the cell table; the
    /// number wanted goes to the status, and halts the run where there is no room for it.
    ///
    /// # Errors
    /// When the device fails.
    pub fn create(&self, atoms: &Resident, ranges: &Buffer<u32>, box_buffer: &Buffer<u8>) -> Result<()> {
        let local = atoms.context.shape.local;
        let x = &atoms.columns.x;
        let cells = self.cell_count as u32;
        self.count.launch_each(
            Section::Comm,
            self.cell_count,
            local,
            &[
                (&self.cells).into(),
                ranges.into(),
                x.into(),
                box_buffer.into(),
                (&self.counts).into(),
                cells.into(),
            ],
        )?;
        self.scan.run(Section::Comm, &self.counts, self.cell_count, &atoms.status)?;
        self.fill.launch_each(
            Section::Comm,
            self.cell_count,
            local,
            &[
                (&self.cells).into(),
                ranges.into(),
                x.into(),
                box_buffer.into(),
                (&self.counts).into(),
                (&self.sources).into(),
                (&atoms.position).into(),
                (&self.shifts).into(),
                (&atoms.status).into(),
                atoms.step.into(),
                cells.into(),
                (atoms.n as u32).into(),
                (self.capacity as u32).into(),
            ],
        )
    }

    /// Moves the ghosts to where their atoms are now.
    ///
    /// # Errors
    /// When the device fails.
    pub fn refresh(&self, atoms: &Resident) -> Result<()> {
        self.refresh.launch_each(
            Section::Comm,
            self.capacity, // the number itself is known to the device only
            atoms.context.shape.local,
            &[
                (&self.sources).into(),
                (&atoms.position).into(),
                (&self.shifts).into(),
                (&atoms.status).into(),
                atoms.step.into(),
                (atoms.n as u32).into(),
            ],
        )
    }

    /// The ghosts as the host sees them: the atom of each, and how many box lengths away it is.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self) -> Result<Vec<(u32, [i32; 3])>> {
        let sources = self.sources.read(Section::Output, 0..2 * self.n)?;
        Ok(sources.chunks_exact(2).map(|ghost| (ghost[0], self.boxes[ghost[1] as usize])).collect())
    }
}
