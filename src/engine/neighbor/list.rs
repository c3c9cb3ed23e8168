//! The neighbour list on the device: pages, build and growth (cl/neighbor/list_layout.cl, cl/neighbor/build.cl).

use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::engine::device_atoms::{DUMMIES, DeviceAtoms, Floats, status};
use crate::engine::kernels::variants::Variant;
use crate::engine::kernels::{
    BUILD, BUILD_CLUSTER, BUILD_PLAIN, BUILD_TILE, CELL_ORDER, Context, LIST_BUFFER, LIST_LAYOUT,
    LaunchConfig, STENCIL, vectors,
};
use crate::engine::neighbor::bond_map::BondMap;
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Defines, Kernel};
use std::ops::Range;

/// A run of atoms whose list one allocation holds.
pub struct Page {
    /// The entries (layout in cl/neighbor/list_layout.cl).
    pub entries: Buffer<u32>,
    /// First atom.
    pub first: usize,
    /// Number of atoms.
    pub n: usize,
    /// Atoms that there is room for.
    room: usize,
}

/// Pairs that lists leave out.
pub struct LeftOut {
    /// How many special neighbours an atom may have.
    pub special: usize,
    /// A condition, or none, on group masks a and b and whether atoms are of the `same` molecule.
    pub condition: String,
}

impl LeftOut {
    /// The switches of cl/neighbor/stencil.cl.
    pub(super) fn define(&self, defines: Defines) -> Defines {
        let condition = if self.condition.is_empty() { "0" } else { &self.condition };
        defines
            .set("EXCLUDE", 1)
            .set("SPECIAL_WIDTH", self.special)
            .set("EXCLUDED(a, b, same)", format!("({condition})"))
    }
}

/// A full neighbour list.
pub struct List {
    build: Kernel,
    /// With tiles: the positions that lists name, block by block (cl/neighbor/build.cl).
    pub tiles: Buffer<u32>,
    /// Parts in which the candidates of a block are taken, at most.
    pub tile_parts: usize,
    /// (cutoff + skin)^2 per ordered pair of types, in distance units.
    reach: Floats,
    /// Entries per atom and lane; where candidates came in several parts, for each of them. None of clusters, whose lists
    /// have their numbers of entries.
    pub neighbors: Buffer<u32>,
    /// The entries, by runs of atoms.
    pub pages: Vec<Page>,
    /// Rows of chunks that an atom, or a cluster, has room for.
    pub rows: usize,
    /// Octants of cells, each of which has clusters of its own; 0 where atoms have lists of their own.
    pub(super) octants: usize,
    /// Bytes of a position in local memory.
    pub(super) position_bytes: usize,
    pub(super) shape: LaunchConfig,
    /// Whether the builder leaves pairs out.
    excludes: bool,
    /// Where lists are shared out among ranks, atoms that there is room for.
    share: Option<usize>,
    /// No room is made before it is known for which atoms.
    waits: bool,
    /// Whether a launch may take some of the blocks.
    takes_blocks: bool,
    /// Parts in which the candidates of a block may be taken at most, where a device's runtime ends long loops early.
    most_parts: Option<usize>,
}

/// Candidates of a block of two cells each way over the neighbours of an atom, about: six cells each way, of half the reach.
const CANDIDATES: usize = 7;

/// All blocks, for a builder that may take some.
const ALL_BLOCKS: u32 = u32::MAX;

impl List {
    /// Words of the tiles of `n` atoms in blocks that reach `around` cells: each position is in the tiles of as many blocks as reach it.
    pub(super) fn tile_words(shape: LaunchConfig, n: usize, around: usize) -> usize {
        if !shape.tile {
            return 0;
        }
        (n.saturating_mul(around) / shape.block_edge.pow(3)).saturating_mul(5) / 4 + shape.tile_atoms
    }

    /// For `n` atoms with room for `longest` entries each, in `blocks` blocks (octants) of cells. `squared` holds
    /// (cutoff + skin)^2 per ordered pair of types, negative for pairs that are not listed; `around` the most cells that a
    /// block's lists reach.
    ///
    /// # Errors
    /// When the device fails or lacks memory, or local memory for the cells around a block.
    pub fn new(
        context: &Context,
        n: usize,
        longest: usize,
        blocks: usize,
        squared: &[f64],
        around: usize,
        left_out: Option<&LeftOut>,
    ) -> Result<Self> {
        let (numerics, shape) = (context.numerics, context.shape);
        let (bytes, memory) = (shape.builder_bytes(around), context.gpu.info().local_memory);
        if shape.block_edge > 0 && bytes as u64 > memory {
            return Err(Error::new(format!(
                "lists take {bytes} bytes of local memory, as they reach {around} cells with this cutoff in a box of this size, but the device \
                 has {memory}"
            ))
            .help("take a shorter cutoff or skin, replicate the box where it is shorter than the cutoff, or take another device"));
        }
        let defines = shape.rules.define(context.defines());
        let reaches = if squared.iter().all(|&reach| reach == squared[0]) { 1 } else { context.types };
        // Where all pairs have one cutoff, builders do not look at types: systems with other types have the same program then.
        let types = if reaches == 1 { 1 } else { context.types };
        let defines = defines.set("REACHES", reaches).set("TYPES", types).set("AROUND", around);
        // As a number of the text it would make a program of each cutoff. On CPUs, where a builder looks at it a few times per octant, it
        // comes from memory.
        let mut defines = match shape.rules.follow(Variant::Constants) && shape.block_edge > 0 {
            true => context.set_real(defines, "REACH", squared[0]),
            false => defines.set("REACH", "reach[0]"),
        };
        let excludes = left_out.is_some();
        if let Some(left_out) = left_out {
            defines = left_out.define(defines);
        }
        // Ranks build some lists while they tell one another what the others need.
        let takes_blocks = shape.tile && ranks::count() > 1;
        if takes_blocks {
            defines = defines.set("SOME_BLOCKS", 1);
        }
        let tiles = List::tile_words(shape, n, around);
        let builder = match (shape.block_edge, shape.tile) {
            (0, _) => &[BUILD_CLUSTER][..],
            (_, true) => &[LIST_BUFFER, BUILD, BUILD_TILE],
            (_, false) => &[BUILD, BUILD_PLAIN],
        };
        let before = [vectors(shape.vector), LIST_LAYOUT, CELL_ORDER, shape.rules.walk(), STENCIL];
        let files = [&before, builder].concat();
        let mut list = List {
            build: context.program_with(&files, &defines)?.kernel("build_list")?,
            reach: Floats::from_values(
                &context.gpu,
                "list cutoffs",
                &squared[..reaches * reaches],
                numerics.wide_pairs(),
            )?,
            tiles: context.gpu.buffer("tiles", tiles)?,
            tile_parts: 1,
            neighbors: context.gpu.buffer("neighbours per atom", counts(shape, n))?,
            pages: Vec::new(),
            rows: 0,
            octants: if shape.cluster() > 1 { blocks } else { 0 },
            position_bytes: if numerics.wide_pairs() { 32 } else { 16 },
            shape,
            excludes,
            share: None,
            waits: ranks::count() > 1,
            takes_blocks,
            // As many as have been seen to work in a clump, and twice those of a liquid of such a density.
            most_parts: context
                .gpu
                .info()
                .most_neighbors()
                .map(|_| 2 + 2 * CANDIDATES * longest / shape.tile_atoms.max(1)),
        };
        list.allocate(context, n, together(shape, longest))?;
        Ok(list)
    }

    /// Atoms whose entries make one block.
    fn block_atoms(shape: LaunchConfig) -> usize {
        shape.list_width * shape.cluster() / shape.lanes
    }

    fn rows_for(shape: LaunchConfig, longest: usize) -> usize {
        // In tiles the lanes' shares of an atom's entries differ; plain lists take chunks in turn.
        let share = longest.div_ceil(shape.lanes);
        let share = if shape.tile && shape.lanes > 1 { share * 5 / 4 + 6 } else { share };
        share.div_ceil(shape.entries()).max(1) + usize::from(shape.cluster() > 1)
    }

    /// Blocks of a page of `n` atoms, where each of so many octants may have a cluster that is not full: any of them may
    /// have atoms in any page (cluster_slot of cl/neighbor/list_layout.cl).
    fn blocks(shape: LaunchConfig, n: usize, octants: usize) -> usize {
        n.div_ceil(List::block_atoms(shape)).saturating_add(octants).min(n)
    }

    /// Atoms of a page that has room for so many blocks, at least one.
    fn page_atoms(shape: LaunchConfig, blocks: usize, octants: usize) -> usize {
        let blocks = blocks.max(1);
        (blocks.saturating_sub(octants) * List::block_atoms(shape)).max(blocks)
    }

    /// Bytes of the entries of `n` atoms with up to `longest` entries, in a grid of so many octants.
    pub fn bytes(shape: LaunchConfig, n: usize, longest: usize, octants: usize) -> u64 {
        let octants = if shape.cluster() > 1 { octants } else { 0 };
        let rows = List::rows_for(shape, together(shape, longest));
        let block_bytes = rows.saturating_mul(shape.list_width * shape.words() * 4);
        let page = List::page_atoms(shape, shape.page_bytes / block_bytes, octants);
        let blocks = n / page * List::blocks(shape, page, octants) + List::blocks(shape, n % page, octants);
        (blocks as u64).saturating_mul(block_bytes as u64)
    }

    /// Replaces the pages by ones with room for `longest` entries per atom, or per cluster.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn allocate(&mut self, context: &Context, n: usize, longest: usize) -> Result<()> {
        self.pages.clear(); // the old ones go before the new ones come
        self.rows = List::rows_for(self.shape, longest);
        let block_entries = self.rows * self.shape.list_width * self.shape.words();
        let page_blocks = self.shape.page_bytes / (4 * block_entries);
        let page_atoms = List::page_atoms(self.shape, page_blocks, self.octants);
        let end = if self.waits { 0 } else { self.share.map_or(n, |share| share.min(n)) };
        let mut first = 0;
        while first < end {
            let room = page_atoms.min(end - first);
            let blocks = List::blocks(self.shape, room, self.octants);
            let entries = context.gpu.buffer("neighbour list", blocks * block_entries)?;
            self.pages.push(Page { entries, first, n: room, room });
            first += room;
        }
        Ok(())
    }

    /// Keeps lists of these atoms only, of `n` in all.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn keep(&mut self, context: &Context, n: usize, atoms: &Range<usize>) -> Result<()> {
        if self.share.is_none_or(|room| room < atoms.len()) {
            (self.share, self.waits) = (Some(atoms.len() + atoms.len() / 16), false);
            self.allocate(context, n, self.longest())?;
        }
        let mut first = atoms.start;
        for page in &mut self.pages {
            (page.first, page.n) = (first, page.room.min(atoms.end - first));
            first += page.n;
        }
        Ok(())
    }

    /// Keeps lists of all of the `n` atoms.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn keep_all(&mut self, context: &Context, n: usize) -> Result<()> {
        if !std::mem::take(&mut self.waits) {
            return Ok(());
        }
        self.allocate(context, n, self.longest())
    }

    /// Follows a change of the cells, to so many blocks (octants).
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn set_blocks(&mut self, context: &Context, n: usize, blocks: usize) -> Result<()> {
        if self.octants == 0 || self.octants == blocks {
            return Ok(());
        }
        self.octants = blocks;
        self.allocate(context, n, self.longest())
    }

    /// Most entries that an atom, or a cluster, has room for.
    pub fn longest(&self) -> usize {
        (self.rows - usize::from(self.octants > 0)) * self.shape.entries() * self.shape.lanes
    }

    /// Makes room for what the last build wanted, as far as it lacked it; says whether it did.
    ///
    /// # Errors
    /// When the device lacks memory.
    pub fn grow(&mut self, context: &Context, n: usize, seen: &[u32]) -> Result<bool> {
        let [longest, tiles, tile_parts] =
            [status::LONGEST, status::TILES, status::TILE_PARTS].map(|word| seen[word] as usize);
        let mut grown = false;
        if longest > self.longest() {
            log::debug!("room for {} neighbours, {longest} wanted: growing", self.longest());
            self.allocate(context, n, longest + longest / 16)?;
            grown = true;
        }
        if self.shape.tile && tiles > self.tiles.len() {
            log::debug!("room for {} positions in tiles, {tiles} wanted: growing", self.tiles.len());
            self.tiles = context.gpu.buffer("tiles", tiles + tiles / 16)?;
            grown = true;
        }
        if self.most_parts.is_some_and(|most| tile_parts > most) {
            let name = &context.gpu.info().name;
            return Err(Error::new(format!(
                "atoms stand so close together that lists would lack some, as {name} ends long loops early"
            ))
            .help("use another OpenCL device, such as PoCL on the CPU (clamps devices lists them)"));
        }
        if tile_parts > self.tile_parts {
            log::debug!("tiles in {tile_parts} parts");
            self.neighbors = context.gpu.buffer("neighbours per atom", tile_parts * n * self.shape.lanes)?;
            self.tile_parts = tile_parts;
            grown = true;
        }
        Ok(grown)
    }

    /// Says that a build is about to come.
    pub(super) fn foresee(&self, cells: &Cells) {
        self.build.foresee(cells.blocks * self.shape.block_local, self.shape.block_local);
    }

    /// Enqueues the build; a list longer than there is room for shows in the status and halts the run. Of `some` blocks, those so named in a
    /// buffer of their numbers, where ranks share out tiles; else of all.
    ///
    /// # Errors
    /// When the device fails.
    pub fn build(
        &self,
        atoms: &DeviceAtoms,
        cells: &Cells,
        links: Option<&BondMap>,
        some: Option<(&Buffer<u32>, Range<usize>)>,
    ) -> Result<()> {
        let shape = self.shape;
        // A builder that is to take all blocks looks at no numbers.
        let (order, first_block, blocks) = match some {
            Some((order, numbers)) => (order, numbers.start as u32, numbers.len()),
            None => (&self.tiles, ALL_BLOCKS, cells.blocks),
        };
        if blocks == 0 {
            return Ok(());
        }
        let chosen = [order.into(), Arg::U32(first_block)];
        let chosen = if self.takes_blocks { &chosen[..] } else { &[] };
        let links = links.filter(|_| self.excludes);
        let exclude: Vec<_> = links.into_iter().flat_map(|links| links.left_out(atoms)).collect();
        for page in &self.pages {
            let n = page.n.min(atoms.n.saturating_sub(page.first));
            self.build.launch(
                Section::Neigh,
                blocks * shape.block_local,
                shape.block_local,
                &[
                    &[
                        atoms.predicted().into(),
                        (&cells.ranges).into(),
                        (&atoms.cell_of_atom).into(),
                        (&cells.box_buffer).into(),
                        self.reach.arg(),
                        (&page.entries).into(),
                        (&self.neighbors).into(),
                        (&cells.block_table).into(),
                        (&cells.centers).into(),
                        (&self.tiles).into(),
                        (&atoms.status).into(),
                        atoms.step.into(),
                        (page.first as u32).into(),
                        (n as u32).into(),
                        (self.rows as u32).into(),
                        Arg::U32(atoms.capacity as u32),
                        Arg::U32(atoms.dummies() as u32),
                        Arg::U32(self.tiles.len() as u32),
                        Arg::U32(self.tile_parts as u32),
                    ][..],
                    chosen,
                    &exclude,
                ]
                .concat(),
            )?;
        }
        Ok(())
    }
}

/// Counts of entries per atom and lane; none where clusters share lists.
fn counts(shape: LaunchConfig, n: usize) -> usize {
    if shape.cluster() > 1 { 0 } else { n * shape.lanes }
}

/// Entries that make room for the lists of atoms of up to `longest`: in a liquid the atoms of a cluster have 1.75 times the
/// neighbours of one.
fn together(shape: LaunchConfig, longest: usize) -> usize {
    if shape.cluster() > 1 { longest.saturating_mul(7) / 4 } else { longest }
}

const _: () = assert!(DUMMIES == 8, "cl/neighbor/stencil.cl chooses among eight dummies");
