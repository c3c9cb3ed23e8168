//! The blocks of a rank's lists in two parts, one for each of two launches: those with atoms that other ranks' lists name come first, so that
//! ranks tell one another of these while the device is busy with the rest.

use super::{halo_program, make_room};
use crate::base::error::Result;
use crate::engine::kernels::Context;
use crate::engine::neighbor::cells::Cells;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};

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
