//! The neighbour list on the device: pages, build and growth (cl/list.cl, cl/neighbor.cl).

use crate::error::Result;
use crate::gpu::{Arg, Buffer, Kernel};
use crate::kernels::{Context, LANES, LIST, NEIGHBOR, Shape};
use crate::neighbor::cells::Cells;
use crate::resident::{DUMMIES, Floats, Resident};
use crate::timing::Section;

/// A run of atoms whose list one allocation holds.
pub struct Page {
    /// The entries (layout in cl/list.cl).
    pub entries: Buffer<u32>,
    /// First atom.
    pub first: usize,
    /// Number of atoms.
    pub n: usize,
}

/// A full neighbour list.
pub struct List {
    build: Kernel,
    /// (cutoff + skin)^2 per ordered pair of types, in distance units.
    reach: Floats,
    /// Entries per atom.
    pub neighbors: Buffer<u32>,
    /// The entries, by runs of atoms.
    pub pages: Vec<Page>,
    /// Rows of chunks that an atom has room for.
    pub rows: usize,
    shape: Shape,
}

impl List {
    /// For `n` atoms with room for `longest` entries each. `reach` holds cutoff + skin per ordered pair
    /// of types, in distance units.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, n: usize, longest: usize, reach: &[f64]) -> Result<Self> {
        let numerics = context.numerics;
        let squared: Vec<f64> = reach.iter().map(|r| r * r).collect();
        let defines = context.set_real(context.defines(), "REACH", squared[0]);
        let mut list = List {
            build: context.program_with(&[LANES, LIST, NEIGHBOR], &defines)?.kernel("build_list")?,
            reach: Floats::from_values(&context.gpu, "list cutoffs", &squared, numerics.wide_pairs())?,
            neighbors: context.gpu.buffer("neighbours per atom", n)?,
            pages: Vec::new(),
            rows: 0,
            shape: context.shape,
        };
        list.allocate(context, n, longest)?;
        Ok(list)
    }

    /// Atoms whose entries make one block.
    fn block_atoms(shape: Shape) -> usize {
        shape.list_width / shape.lanes
    }

    fn rows_for(shape: Shape, longest: usize) -> usize {
        longest.div_ceil(shape.vector * shape.lanes).max(1)
    }

    /// Bytes of the entries of `n` atoms with up to `longest` entries.
    pub fn bytes(shape: Shape, n: usize, longest: usize) -> u64 {
        let blocks = n.div_ceil(List::block_atoms(shape)) * shape.list_width * shape.vector * 4;
        (blocks as u64).saturating_mul(List::rows_for(shape, longest) as u64)
    }

    /// Replaces the pages by ones with room for `longest` entries per atom.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn allocate(&mut self, context: &Context, n: usize, longest: usize) -> Result<()> {
        self.pages.clear(); // the old ones go before the new ones come
        self.rows = List::rows_for(self.shape, longest);
        let block_entries = self.rows * self.shape.list_width * self.shape.vector;
        let page_blocks = (self.shape.page_bytes / (4 * block_entries)).max(1);
        let page_atoms = page_blocks * List::block_atoms(self.shape);
        let mut first = 0;
        while first < n {
            let atoms = page_atoms.min(n - first);
            let blocks = atoms.div_ceil(List::block_atoms(self.shape));
            let entries = context.gpu.buffer("neighbour list", blocks * block_entries)?;
            self.pages.push(Page { entries, first, n: atoms });
            first += atoms;
        }
        Ok(())
    }

    /// Most entries that an atom has room for.
    pub fn longest(&self) -> usize {
        self.rows * self.shape.vector * self.shape.lanes
    }

    /// Enqueues the build; a list longer than there is room for shows in the status and halts the run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn build(&self, atoms: &Resident, cells: &Cells) -> Result<()> {
        let shape = self.shape;
        for page in &self.pages {
            let n = page.n.min(atoms.n.saturating_sub(page.first));
            let items = if shape.build_lanes == 0 { cells.octants } else { n * shape.build_lanes };
            self.build.launch(
                Section::Neigh,
                items,
                shape.build_local,
                &[
                    (&atoms.position).into(),
                    (&cells.ranges).into(),
                    (&atoms.home).into(),
                    (&cells.box_buffer).into(),
                    self.reach.arg(),
                    (&page.entries).into(),
                    (&self.neighbors).into(),
                    (&atoms.status).into(),
                    atoms.step.into(),
                    (page.first as u32).into(),
                    (n as u32).into(),
                    (self.rows as u32).into(),
                    Arg::U32(atoms.capacity as u32),
                    Arg::U32(atoms.dummies() as u32),
                ],
            )?;
        }
        Ok(())
    }

    /// Entries of the whole list.
    ///
    /// # Errors
    /// When the device fails.
    pub fn total(&self, n: usize) -> Result<u64> {
        self.neighbors.view(Section::Output, 0..n, |counts| counts.iter().map(|&c| u64::from(c)).sum())
    }

    /// The list as the host sees it: the entries of each atom, indices into the staged positions.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, n: usize) -> Result<Vec<Vec<u32>>> {
        let counts = self.neighbors.read(Section::Output, 0..n)?;
        let Shape { vector, lanes, list_width, .. } = self.shape;
        let mut lists = Vec::with_capacity(n);
        for page in &self.pages {
            let entries = page.entries.read(Section::Output, 0..page.entries.len())?;
            for index in 0..page.n.min(n.saturating_sub(page.first)) {
                let item = index * lanes;
                let begin = item / list_width * self.rows * list_width * vector + item % list_width * vector;
                let place = |k: usize| {
                    let chunk = k / vector;
                    begin + chunk / lanes * list_width * vector + chunk % lanes * vector + k % vector
                };
                let count = counts[page.first + index] as usize;
                lists.push((0..count).map(|k| entries[place(k)]).collect());
            }
        }
        Ok(lists)
    }
}

const _: () = assert!(DUMMIES == 8, "cl/neighbor.cl chooses among eight dummies");
