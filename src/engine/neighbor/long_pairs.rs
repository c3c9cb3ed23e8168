//! Pairs of types whose cutoff is much longer than that of most atoms, as of a few large particles among many small ones. They
//! have lists of their own, so that cells and the other lists are made for the short cutoffs (cl/neighbor/build_long.cl).

use super::list::LeftOut;
use crate::base::error::Result;
use crate::engine::device_atoms::{DeviceAtoms, Floats, real};
use crate::engine::kernels::{BUILD_LONG, CELL_ORDER, Context, LONG_LAYOUT, STENCIL, SizeClass};
use crate::engine::neighbor::bond_map::BondMap;
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use crate::potentials::pair::longest_of;

/// Work-items that make a row, or its forces, on GPUs at most: rows are few and long.
const GROUP: usize = 256;

/// Lists of their own pay where they take less than this share of the work: in systems of fewer atoms a smaller one, as with them each step
/// takes launches of its own; unless they are `wanted`.
fn worth(atoms: usize, wanted: bool) -> f64 {
    match SizeClass::of(atoms) {
        _ if wanted => 0.5,
        SizeClass::Small => 0.015,
        SizeClass::Medium => 0.03,
        SizeClass::Large => 0.12,
    }
}

/// Work of a row per candidate, in that of a candidate of the other lists: it is looked at twice and not in local memory, and each row waits
/// for its work-items.
const ROW_WORK: f64 = 8.0;

/// Pairs of types that are looked at to find the cutoff behind which pairs are long, and cutoffs that are tried however many pairs there are.
const MOST_LOOKS: usize = 1 << 26;
const FEWEST_TRIED: usize = 4;
/// About so many cutoffs are put in order for that.
const MOST_COMPARED: usize = 1 << 18;

/// Owners, entries and owners near an atom that there is room for at first.
const OWNERS_AT_FIRST: usize = 64;
const ENTRIES_AT_FIRST: usize = 1 << 16;
const NEAR_AT_FIRST: usize = 4;

/// Which pairs of types have lists of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct LongPairs {
    /// Per ordered pair of types, row by row, whether it is one of them.
    pub long: Vec<bool>,
    /// Per type, whether its atoms own rows with all atoms that form long pairs with them. At least one type of each long pair does.
    pub owners: Vec<bool>,
}

impl LongPairs {
    /// What takes the least work for cutoffs per ordered pair of types, a skin, and so many atoms of each type: `None` where lists of their
    /// own do not pay. They may be `wanted` in small systems, too.
    pub fn choose(cutoffs: &[f64], skin: f64, atoms: &[usize], wanted: bool) -> Option<Self> {
        let longest = longest_of(cutoffs);
        // An odd step meets all types.
        let step = (cutoffs.len() / MOST_COMPARED).max(1) | 1;
        let is_shorter = |&cutoff: &f64| cutoff > 0.0 && cutoff < longest;
        let mut shorter: Vec<f64> = cutoffs.iter().copied().step_by(step).filter(is_shorter).collect();
        shorter.sort_unstable_by(f64::total_cmp);
        shorter.dedup();
        // Thousands of types may have millions of cutoffs by mixing; to try one looks at each pair of types.
        let tried = (MOST_LOOKS / cutoffs.len().max(1)).max(FEWEST_TRIED);
        if shorter.len() > tried {
            let last = shorter.len() - 1;
            shorter = (0..tried).map(|k| shorter[k * last / (tried - 1)]).collect();
        }
        let all: usize = atoms.iter().sum();
        let work = |short: f64, long: Option<&LongPairs>| {
            let rows = |long: &LongPairs| -> f64 {
                let row =
                    |kind: usize| ROW_WORK * atoms[kind] as f64 * (long.reach(cutoffs, kind) + skin).powi(3);
                (0..atoms.len()).filter(|&kind| long.owners[kind]).map(row).sum()
            };
            all as f64 * (short + skin).powi(3) + long.map_or(0.0, rows)
        };
        let split = |&short: &f64| {
            let long = LongPairs::beyond(cutoffs, short, atoms);
            (work(short, Some(&long)), long)
        };
        let best = shorter.iter().map(split).min_by(|(a, _), (b, _)| a.total_cmp(b));
        best.filter(|(least, _)| *least < worth(all, wanted) * work(longest, None)).map(|(_, long)| long)
    }

    /// Those with a cutoff beyond `short`. Of two types the rarer one owns rows.
    fn beyond(cutoffs: &[f64], short: f64, atoms: &[usize]) -> Self {
        let types = atoms.len();
        let long: Vec<bool> = cutoffs.iter().map(|&cutoff| cutoff > short).collect();
        let mut owners = vec![false; types];
        let mut rarest: Vec<usize> = (0..types).collect();
        rarest.sort_by_key(|&kind| (atoms[kind], kind));
        // Each type, the rarest first, owns those of its pairs that have no owner yet.
        for kind in rarest {
            owners[kind] =
                (0..types).any(|other| long[kind * types + other] && (other == kind || !owners[other]));
        }
        LongPairs { long, owners }
    }

    /// The longest cutoff of pairs that are `long`, or of those that are not, where some or none are; 0 if there are none.
    pub fn longest(pairs: Option<&LongPairs>, cutoffs: &[f64], long: bool) -> f64 {
        LongPairs::longest_if_any(pairs, cutoffs, long).unwrap_or(0.0)
    }

    /// The same of their list cutoffs.
    pub(super) fn longest_list(pairs: Option<&LongPairs>, cutoffs: &[f64], long: bool, skin: f64) -> f64 {
        LongPairs::longest_if_any(pairs, cutoffs, long).map_or(0.0, |longest| longest + skin)
    }

    fn longest_if_any(pairs: Option<&LongPairs>, cutoffs: &[f64], long: bool) -> Option<f64> {
        match pairs {
            None => (!long && !cutoffs.is_empty()).then(|| longest_of(cutoffs)),
            Some(pairs) => {
                let same = pairs.long.iter().zip(cutoffs).filter(|(is_long, _)| **is_long == long);
                same.map(|(_, &cutoff)| cutoff).reduce(f64::max)
            }
        }
    }

    /// The longest cutoff of a type's long pairs; 0 if there are none.
    fn reach(&self, cutoffs: &[f64], kind: usize) -> f64 {
        let types = self.owners.len();
        (kind * types..(kind + 1) * types).filter(|&k| self.long[k]).map(|k| cutoffs[k]).fold(0.0, f64::max)
    }
}

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
    pub fn group_and_vector(context: &Context) -> [usize; 2] {
        match context.shape.block_edge {
            0 => [1, context.shape.vector],
            _ => [1 << GROUP.min(context.gpu.common().max_work_group).ilog2(), 1],
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
        owners: &[bool],
        left_out: Option<&LeftOut>,
    ) -> Result<Self> {
        let (gpu, shape, wide) = (&context.gpu, context.shape, context.numerics.wide_pairs());
        let [group, vector] = LongLists::group_and_vector(context);
        let mut defines =
            shape.rules.define(context.defines()).set("LONG_LOCAL", group).set("LONG_VECTOR", vector);
        if let Some(left_out) = left_out {
            defines = left_out.define(defines);
        }
        let program = context
            .program_with(&[CELL_ORDER, shape.rules.walk(), STENCIL, LONG_LAYOUT, BUILD_LONG], &defines)?;
        let types = owners.len();
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
