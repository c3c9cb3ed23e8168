//! The blocks of a rank's lists in two parts: those with atoms that other ranks' lists name, and the inner ones. In a step the former come first, so
//! that ranks tell one another of these while the device is busy with the rest. In a rebuild lists of inner blocks come first, while ranks tell one
//! another what the other lists need.

use super::halo::{Halo, Words};
use super::{Rows, Shares, halo_program, make_room};
use crate::base::error::Result;
use crate::engine::device_atoms::DeviceAtoms;
use crate::engine::kernels::Context;
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use std::ops::Range;

/// Some blocks, and what the neighbour loop is to know of each, in their order (cl/force/loop_tile.cl).
pub struct Blocks {
    order: Buffer<u32>,
    /// How many they are.
    pub count: usize,
    /// Their rows of [`Cells::block_table`].
    pub table: Buffer<u32>,
    /// Their [`Cells::centers`].
    pub centers: Buffer<u32>,
}

/// Both parts.
pub struct Phases {
    pick: Kernel,
    /// Those with atoms that other ranks' lists name.
    pub border: Blocks,
    /// The others of this rank.
    pub interior: Blocks,
}

impl Blocks {
    /// Their numbers, of which some are one of `of` parts that are about as large.
    pub fn part(&self, k: usize, of: usize) -> (&Buffer<u32>, Range<usize>) {
        (&self.order, self.count * k / of..self.count * (k + 1) / of)
    }

    fn new(context: &Context) -> Result<Self> {
        let buffer = |name| context.gpu.buffer(name, 1);
        Ok(Blocks {
            order: buffer("order of blocks")?,
            count: 0,
            table: buffer("blocks in order")?,
            centers: buffer("centers in order")?,
        })
    }

    fn follow(&mut self, context: &Context, order: &[u32]) -> Result<()> {
        self.count = order.len();
        make_room(&mut self.order, context, order.len())?;
        make_room(&mut self.table, context, 4 * order.len())?;
        make_room(&mut self.centers, context, context.numerics.staged_words() * order.len())?;
        if order.is_empty() { Ok(()) } else { self.order.write(Section::Comm, 0, order) }
    }
}

impl Phases {
    /// For lists in tiles, which go by blocks.
    pub(super) fn new(context: &Context) -> Result<Option<Self>> {
        if !context.shape.tile {
            return Ok(None);
        }
        let pick = halo_program(context)?.kernel("pick_blocks")?;
        Ok(Some(Phases { pick, border: Blocks::new(context)?, interior: Blocks::new(context)? }))
    }

    /// Goes on with other blocks.
    pub(super) fn follow(&mut self, context: &Context, [border, interior]: [Vec<u32>; 2]) -> Result<()> {
        self.border.follow(context, &border)?;
        self.interior.follow(context, &interior)
    }

    /// Behind a build of the lists: takes what it says of the blocks.
    pub(super) fn pick(&self, context: &Context, cells: &Cells) -> Result<()> {
        let width = context.numerics.staged_words();
        [&self.border, &self.interior].into_iter().try_for_each(|blocks| {
            let args = [
                Arg::from(&blocks.order),
                (&cells.block_table).into(),
                (&cells.centers).into(),
                (&blocks.table).into(),
                (&blocks.centers).into(),
                Arg::U32(width as u32),
                Arg::U32(blocks.count as u32),
            ];
            self.pick.launch_each(Section::Comm, blocks.count, context.shape.local, &args)
        })
    }
}

impl Shares {
    /// Behind a build of the lists.
    ///
    /// # Errors
    /// When the device fails.
    pub fn follow_lists(&self, atoms: &DeviceAtoms, cells: &Cells) -> Result<()> {
        self.phases.iter().try_for_each(|phases| phases.pick(&atoms.context, cells))
    }

    /// The blocks near borders and the others, where ranks may tell one another of the former while the device goes on with the latter.
    pub fn phases(&self) -> Option<&Phases> {
        self.phases.as_ref().filter(|_| self.window().is_some() && self.has_few_ghosts())
    }

    /// The blocks of this rank in both parts, however many ghosts there are: lists may be built of parts of them.
    pub fn blocks(&self) -> Option<&Phases> {
        self.phases.as_ref().filter(|_| self.window().is_some())
    }

    /// As [`Shares::tell`] to lists of staged positions, `beside` what the device has to do meanwhile.
    ///
    /// # Errors
    /// When the device fails.
    pub fn tell_beside(
        &self,
        staged: &Buffer<u32>,
        atoms: &DeviceAtoms,
        beside: Option<impl FnOnce(&Blocks) -> Result<()>>,
    ) -> Result<()> {
        let words = Words::row(staged.into(), atoms.context.numerics.staged_words());
        // The same on all ranks.
        if self.has_few_ghosts() {
            return self.exchange_beside(&self.halo, words, atoms, beside);
        }
        self.gather(staged, Rows::one(words.width))?;
        self.blocks().zip(beside).map_or(Ok(()), |(blocks, beside)| beside(&blocks.interior))
    }

    /// An exchange of words, `beside` what the device has to do meanwhile.
    pub(super) fn exchange_beside(
        &self,
        halo: &Halo,
        words: Words<'_>,
        atoms: &DeviceAtoms,
        beside: Option<impl FnOnce(&Blocks) -> Result<()>>,
    ) -> Result<()> {
        match (self.window(), self.blocks().zip(beside)) {
            (Some(window), Some((blocks, beside))) => {
                halo.exchange_meanwhile(&window, words, atoms, || beside(&blocks.interior)).map(drop)
            }
            (window, _) => halo.exchange(words, window.as_deref(), atoms).map(drop),
        }
    }
}
