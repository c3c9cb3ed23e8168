//! Atoms that go from rank to rank at rebuilds, as they have come into cells of another one (cl/comm/migration.cl).

use super::division::Division;
use super::make_room;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::{Context, MIGRATION};
use crate::engine::neighbor::cells::Cells;
use crate::engine::neighbor::prediction::PositionPrediction;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel, SharedWindow};
use std::ops::Range;

/// Pairs of words of the leavers that are read at once, before it is known how many there are.
const FIRST_LOOK: usize = 1 << 12;

/// Words of a record beside velocities: position, image, ID, type, groups, cell.
const FIXED_WORDS: usize = 12;

/// Buffers and kernels of the exchange.
pub(super) struct Migration {
    find: Kernel,
    pack: Kernel,
    unpack: Kernel,
    /// How many leave, and of each its place and that of its cell along the curve.
    leavers: Buffer<u32>,
    places: Buffer<u32>,
    told: Buffer<u32>,
    heard: Buffer<u32>,
}

/// What goes into a record: EACH_COLUMN of the kernels.
fn columns<'a>(atoms: &'a DeviceAtoms, cells: &'a Cells, unkicked: Arg<'a>) -> [Arg<'a>; 8] {
    let (columns, [cell, ..]) = (&atoms.arrays, cells.counted());
    [
        (&columns.x).into(),
        columns.v.arg(),
        (&columns.image).into(),
        (&columns.tag).into(),
        (&columns.kind).into(),
        (&columns.mask).into(),
        cell.into(),
        unkicked,
    ]
}

impl Migration {
    pub(super) fn new(context: &Context) -> Result<Self> {
        let program = context.program(&[MIGRATION])?;
        let buffer = |name| context.gpu.buffer(name, 1);
        Ok(Migration {
            find: program.kernel("find_leavers")?,
            pack: program.kernel("pack_atoms")?,
            unpack: program.kernel("unpack_atoms")?,
            leavers: buffer("atoms that leave")?,
            places: buffer("places of atoms that leave")?,
            told: buffer("atoms that go")?,
            heard: buffer("atoms that come")?,
        })
    }

    /// Launches all kernels for no atoms, so that none is compiled in the loop.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn warm_up(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<()> {
        let (none, [cell, slot, counts, cell_rank]) = (Arg::U32(0), cells.counted());
        let launch = |kernel: &Kernel, args: &[&[Arg<'_>]]| {
            kernel.launch_each(Section::Comm, 1, atoms.context.shape.local, &args.concat())
        };
        let found =
            [cell.into(), cell_rank.into(), counts.into(), (&self.leavers).into(), (&atoms.status).into()];
        launch(&self.find, &[&found, &[Arg::U32(atoms.step)], &[none; 5]])?;
        let all = columns(atoms, cells, (&self.places).into());
        launch(&self.pack, &[&all, &[(&self.leavers).into(), (&self.told).into()], &[none; 4]])?;
        let come = [(&self.heard).into(), cell_rank.into(), counts.into(), slot.into()];
        launch(&self.unpack, &[&all, &come, &[none; 5]])
    }

    /// Of atoms that have been [binned](Cells::bin), those in cells of other ranks go there, and those that come from others stand behind
    /// `own`. Returns how many atoms each rank has then, and how many have come. `None`, and none has gone, where some rank has atoms in no
    /// cell.
    pub(super) fn exchange(
        &mut self,
        window: &SharedWindow,
        division: &Division,
        atoms: &DeviceAtoms,
        cells: &Cells,
        prediction: &PositionPrediction,
        own: &Range<usize>,
    ) -> Result<Option<(Vec<usize>, usize)>> {
        let (leavers, lost) = self.find_leavers(division, atoms, cells, own)?;
        let context = &atoms.context;
        let widths = [if context.numerics.wide() { 6 } else { 3 }, if prediction.ahead() { 3 } else { 0 }];
        let record = FIXED_WORDS + widths.iter().sum::<usize>();
        let at_once = window.memory().half() / (4 * record);
        let [most, lost] = ranks::max([leavers.len() as i64, lost.into()]);
        if lost > 0 {
            return Ok(None);
        }
        make_room(&mut self.places, context, leavers.len())?;
        let places: Vec<u32> = leavers.iter().map(|&(_, place)| place).collect();
        self.places.write(Section::Comm, 0, &places)?;
        let mut come = 0;
        for turn in 0..(most as usize).div_ceil(at_once) {
            let first = (turn * at_once).min(leavers.len());
            let some = &leavers[first..(first + at_once).min(leavers.len())];
            let sizes = (widths, record);
            come += self.turn(window, (first, some), sizes, own.end + come, atoms, cells, prediction)?;
        }
        let left = own.len() - leavers.len() + come;
        let counts = ranks::all([left as f64]).iter().map(|&[atoms]| atoms as usize).collect();
        Ok(Some((counts, come)))
    }

    /// The rank that each goes to, and its place, in the order of the ranks; and how many atoms are in no cell.
    fn find_leavers(
        &mut self,
        division: &Division,
        atoms: &DeviceAtoms,
        cells: &Cells,
        own: &Range<usize>,
    ) -> Result<(Vec<(usize, u32)>, u32)> {
        let context = &atoms.context;
        make_room(&mut self.leavers, context, 2 + 2 * own.len())?;
        self.leavers.clear(Section::Comm, 0..2)?;
        let [cell, _, counts, cell_rank] = cells.counted();
        let here = division.cells_of(ranks::rank());
        let numbers =
            [cell_rank.len(), here.start, here.end, own.start, own.len()].map(|n| Arg::U32(n as u32));
        let first = [
            cell.into(),
            cell_rank.into(),
            counts.into(),
            (&self.leavers).into(),
            (&atoms.status).into(),
            Arg::U32(atoms.step),
        ];
        let local = context.shape.local;
        self.find.launch_each(Section::Comm, own.len(), local, &[&first[..], &numbers].concat())?;
        let look = self.leavers.len().min(2 + 2 * FIRST_LOOK);
        let mut words = self.leavers.read(Section::Comm, 0..look)?;
        let end = 2 + 2 * words[0] as usize;
        if end > words.len() {
            words = self.leavers.read(Section::Comm, 0..end)?;
        }
        let of_pair = |pair: &[u32]| (division.rank_of(pair[1] as usize), pair[0]);
        let mut leavers: Vec<(usize, u32)> = words[2..end].chunks_exact(2).map(of_pair).collect();
        leavers.sort_unstable();
        Ok((leavers, words[1]))
    }

    /// A turn of the window: of those that leave, `some`, which begin with number `first`. Returns how many have come to places from
    /// `to` on.
    #[allow(clippy::too_many_arguments)]
    fn turn(
        &mut self,
        window: &SharedWindow,
        (first, some): (usize, &[(usize, u32)]),
        ([v_words, unkicked_words], record): ([usize; 2], usize),
        to: usize,
        atoms: &DeviceAtoms,
        cells: &Cells,
        prediction: &PositionPrediction,
    ) -> Result<usize> {
        let (context, memory, local) = (&atoms.context, window.memory(), atoms.context.shape.local);
        let [_, slot, counts, cell_rank] = cells.counted();
        let all = columns(atoms, cells, prediction.arguments(0)[0]);
        let widths = [v_words, unkicked_words].map(|words| Arg::U32(words as u32));
        memory.begin();
        let bytes = 4 * record;
        let ends = (0..ranks::count()).map(|rank| bytes * some.partition_point(|&(to, _)| to <= rank));
        memory.say_ends(ends, 0, 0);
        make_room(&mut self.told, context, record * some.len())?;
        let extent = [first, some.len()].map(|n| Arg::U32(n as u32));
        let rest = [(&self.places).into(), (&self.told).into()];
        let args = [&all[..], &rest, &widths, &extent].concat();
        self.pack.launch_each(Section::Comm, some.len(), local, &args)?;
        self.told.show(Section::Comm, 0..record * some.len(), window, 0, None)?;
        window.meet()?;
        let coming: Vec<Range<usize>> = (0..ranks::count())
            .map(|rank| memory.for_this(rank)..memory.end(rank, ranks::rank() + 1))
            .collect();
        let come = coming.iter().map(|part| part.len() / bytes).sum();
        make_room(&mut self.heard, context, record * come)?;
        let mut heard = 0;
        for (rank, part) in coming.iter().enumerate() {
            let words = part.len() / 4;
            self.heard.take(Section::Comm, heard..heard + words, window, (rank, part.start), false)?;
            heard += words;
        }
        let extent = [to, atoms.n, come].map(|n| Arg::U32(n as u32));
        let rest = [(&self.heard).into(), cell_rank.into(), counts.into(), slot.into()];
        let args = [&all[..], &rest, &widths, &extent].concat();
        self.unpack.launch_each(Section::Comm, come, local, &args)?;
        Ok(come)
    }
}
