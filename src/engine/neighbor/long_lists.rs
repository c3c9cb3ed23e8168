//! Lists of [long pairs](LongPairs) on the device (cl/neighbor/build_long.cl).

use super::list::LeftOut;
use super::long_pairs::LongPairs;
use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, Floats, real};
use crate::engine::kernels::{BUILD_LONG, CELL_ORDER, Context, LIST_LAYOUT, LONG_LAYOUT, STENCIL, vectors};
use crate::engine::neighbor::bond_map::BondMap;
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};

/// Owners, entries and owners near an atom that there is room for at first.
const OWNERS_AT_FIRST: usize = 64;
const ENTRIES_AT_FIRST: usize = 1 << 16;
const NEAR_AT_FIRST: usize = 4;

/// Their lists on the device.
pub struct LongLists {
    begin: Kernel,
    find: Kernel,
    list: Kernel,
    order_owners: Kernel,
    order: Kernel,
    /// (cutoff + skin)^2 per ordered pair of types, negative for others; per type the longest cutoff + skin of an owner, else 0, of all its long
    /// pairs and of those with others.
    limits: Floats,
    reaches: Floats,
    /// Places of the atoms that own rows, as they were found.
    found: Buffer<u32>,
    /// The same in order, where they are few.
    pub owners: Buffer<u32>,
    /// Where the row of each begins, and how many entries it has.
    pub rows: Buffer<u32>,
    /// The entries of all rows, places.
    pub entries: Buffer<u32>,
    /// Per atom, how many owners are near it, or that it owns a row.
    pub held: Buffer<u32>,
    /// The places of these owners.
    pub near_owners: Buffer<u32>,
    /// How many of them an atom has room for.
    pub near_room: usize,
    /// Owners, entries, and owners near an atom for which there was no room.
    pub counts: Buffer<u32>,
    excludes: bool,
    /// Work-items of a row.
    pub group: usize,
    vector: usize,
}

/// That an atom owns a row.
pub const OWNS_ROW: u32 = u32::MAX;

impl LongLists {
    /// Work-items of a row and of a vector.
    pub fn group_and_vector(context: &Context, pairs: &LongPairs) -> [usize; 2] {
        match context.shape.block_edge {
            0 => [1, context.shape.vector],
            _ => [pairs.lanes.min(1 << context.gpu.common().max_work_group.ilog2()), 1],
        }
    }

    /// For up to `n` atoms. `squared` holds (cutoff + skin)^2 per ordered pair of types, negative where pairs are not long or are left out.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        context: &Context,
        n: usize,
        squared: &[f64],
        pairs: &LongPairs,
        left_out: Option<&LeftOut>,
    ) -> Result<Self> {
        let (gpu, shape, wide) = (&context.gpu, context.shape, context.numerics.wide_pairs());
        let [group, vector] = LongLists::group_and_vector(context, pairs);
        let mut defines =
            shape.rules.define(context.defines()).set("LONG_LOCAL", group).set("LONG_VECTOR", vector);
        if let Some(left_out) = left_out {
            defines = left_out.define(defines);
        }
        let layouts = [vectors(shape.vector), LIST_LAYOUT, CELL_ORDER, shape.rules.walk(), STENCIL];
        let program = context.program_with(&[&layouts[..], &[LONG_LAYOUT, BUILD_LONG]].concat(), &defines)?;
        let (owners, types) = (&pairs.owners, pairs.owners.len());
        let farthest = |kind: usize, of: &dyn Fn(usize) -> bool| {
            let others = (0..types).filter(|&other| of(other)).map(|other| squared[kind * types + other]);
            if owners[kind] { others.fold(0.0, f64::max).sqrt() } else { 0.0 }
        };
        let to_all = (0..types).map(|kind| farthest(kind, &|_| true));
        let reaches: Vec<f64> =
            to_all.chain((0..types).map(|kind| farthest(kind, &|other| !owners[other]))).collect();
        let near_room = NEAR_AT_FIRST.next_multiple_of(vector);
        Ok(LongLists {
            begin: program.kernel("begin_long")?,
            find: program.kernel("find_owners")?,
            list: program.kernel("list_long_pairs")?,
            order_owners: program.kernel("order_owners")?,
            order: program.kernel("order_long_pairs")?,
            limits: Floats::from_values(gpu, "long list cutoffs", squared, wide)?,
            reaches: Floats::from_values(gpu, "reaches of owners", &reaches, wide)?,
            found: gpu.buffer("owners found", OWNERS_AT_FIRST)?,
            owners: gpu.buffer("owners of rows", OWNERS_AT_FIRST)?,
            rows: gpu.buffer("rows of long pairs", 2 * OWNERS_AT_FIRST)?,
            entries: gpu.buffer("long pairs", ENTRIES_AT_FIRST)?,
            held: gpu.buffer("numbers of owners near", n)?,
            near_owners: gpu.buffer("owners near", near_room * n)?,
            near_room,
            counts: gpu.buffer("counts of long pairs", 3)?,
            excludes: left_out.is_some(),
            group,
            vector,
        })
    }

    /// Makes room for what the last build wanted, as far as it lacked it; says whether it did.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn grow(&mut self, context: &Context, n: usize) -> Result<bool> {
        let counts = self.counts.read(Section::Neigh, 0..3)?;
        let [owners, entries, near] = [0, 1, 2].map(|word| counts[word] as usize);
        let gpu = &context.gpu;
        let mut grown = false;
        if owners > self.owners.len() {
            let room = owners + owners / 16;
            self.found = gpu.buffer("owners found", room)?;
            (self.owners, self.rows) =
                (gpu.buffer("owners of rows", room)?, gpu.buffer("rows of long pairs", 2 * room)?);
            grown = true;
        }
        if entries > self.entries.len() {
            self.entries = gpu.buffer("long pairs", entries + entries / 16)?;
            grown = true;
        }
        if near > self.near_room {
            self.near_room = (near + 1).next_multiple_of(self.vector);
            self.near_owners = gpu.buffer("owners near", self.near_room * n)?;
            grown = true;
        }
        if grown {
            log::debug!(
                "long pairs: {owners} owners with {entries} entries, up to {near} near an atom: growing"
            );
        }
        Ok(grown)
    }

    /// Enqueues the build, in a grid over a box stretched so much; what there is no room for halts the run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn build(
        &self,
        atoms: &DeviceAtoms,
        cells: &Cells,
        links: Option<&BondMap>,
        stretch: [f64; 3],
    ) -> Result<()> {
        let (local, step, n) = (atoms.context.shape.local, Arg::U32(atoms.step), Arg::U32(atoms.n as u32));
        let (status, stride) = (Arg::from(&atoms.status), Arg::U32(atoms.capacity as u32));
        let room = |entries: usize| Arg::U32(entries as u32);
        self.begin.launch(Section::Neigh, 1, 1, &[(&self.counts).into(), status, step])?;
        let args = [
            atoms.predicted().into(),
            self.reaches.arg(),
            (&self.found).into(),
            (&self.held).into(),
            (&self.counts).into(),
            status,
            step,
            room(self.owners.len()),
            n,
        ];
        self.find.launch_each(Section::Neigh, atoms.n, local, &args)?;
        let args = [
            (&self.found).into(),
            (&self.owners).into(),
            (&self.counts).into(),
            status,
            step,
            room(self.owners.len()),
        ];
        self.order_owners.launch_each(Section::Neigh, self.owners.len(), local, &args)?;
        let mut args = vec![
            atoms.predicted().into(),
            (&cells.ranges).into(),
            (&atoms.cell_of_atom).into(),
            (&cells.box_buffer).into(),
            self.limits.arg(),
            self.reaches.arg(),
            (&self.owners).into(),
            (&self.rows).into(),
            (&self.entries).into(),
            (&self.held).into(),
            (&self.near_owners).into(),
            (&self.counts).into(),
            status,
            step,
        ];
        args.extend(stretch.map(|stretch| real(atoms.context.numerics, stretch)));
        args.extend([room(self.owners.len()), room(self.entries.len()), room(self.near_room), stride]);
        args.extend(links.filter(|_| self.excludes).into_iter().flat_map(|links| links.left_out(atoms)));
        self.list.launch(Section::Neigh, self.owners.len() * self.group, self.group, &args)?;
        let args = [
            (&self.held).into(),
            (&self.near_owners).into(),
            (&self.counts).into(),
            status,
            step,
            room(self.near_room),
            stride,
            n,
        ];
        self.order.launch_each(Section::Neigh, atoms.n, local, &args)
    }

    /// The long pairs as the host sees them: of each atom the places of its others.
    ///
    /// # Errors
    /// When the device fails.
    pub fn download(&self, atoms: &DeviceAtoms) -> Result<Vec<Vec<u32>>> {
        let mut lists = vec![Vec::new(); atoms.n];
        let count = self.counts.read(Section::Output, 0..1)?[0] as usize;
        let owners = self.owners.read(Section::Output, 0..count)?;
        let rows = self.rows.read(Section::Output, 0..2 * count)?;
        let entries = self.entries.read(Section::Output, 0..self.entries.len())?;
        for (&owner, row) in owners.iter().zip(rows.chunks_exact(2)) {
            lists[owner as usize] = entries[row[0] as usize..][..row[1] as usize].to_vec();
        }
        let held = self.held.read(Section::Output, 0..atoms.n)?;
        let near = self.near_owners.read(Section::Output, 0..self.near_owners.len())?;
        for (i, &held) in held.iter().enumerate().filter(|&(_, &held)| held != OWNS_ROW) {
            let place =
                |k: usize| if self.group == 1 { i * self.near_room + k } else { k * atoms.capacity + i };
            lists[i].extend((0..held as usize).map(|k| near[place(k)]));
        }
        Ok(lists)
    }

    /// How many neighbours all atoms have together in long pairs.
    ///
    /// # Errors
    /// When the device fails.
    pub fn total(&self, atoms: &DeviceAtoms) -> Result<u64> {
        let count = self.counts.read(Section::Output, 0..1)?[0] as usize;
        let of_rows = self.rows.view(Section::Output, 0..2 * count, |rows| {
            rows.chunks_exact(2).map(|row| u64::from(row[1])).sum::<u64>()
        })?;
        let of_others = self.held.view(Section::Output, 0..atoms.n, |held| {
            held.iter().filter(|&&held| held != OWNS_ROW).map(|&held| u64::from(held)).sum::<u64>()
        })?;
        Ok(of_rows + of_others)
    }
}
