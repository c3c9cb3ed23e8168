//! The atoms of other ranks that a rank's lists may name, and the exchange of what is known of them (cl/comm/halo.cl).

use super::division::Places;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::kernels::{Context, HALO};
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Kernel};
use std::cell::RefCell;
use std::ops::Range;

/// A buffer with so many words of 32 bits of each atom, side by side.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    /// The buffer.
    pub(super) buffer: Arg<'a>,
    /// Words of an atom.
    pub(super) width: usize,
}

/// What a rank tells others of its atoms, or hears of theirs.
struct Side {
    places: Buffer<u32>,
    /// The atoms of each rank among them.
    parts: Vec<Range<usize>>,
    /// What is told or heard.
    words: RefCell<Buffer<u32>>,
    bytes: RefCell<Vec<u8>>,
}

/// The exchange of a rank with the others.
pub(super) struct Halo {
    pack: Kernel,
    unpack: Kernel,
    to: Side,
    from: Side,
    most: usize,
}

impl Side {
    fn new(context: &Context) -> Result<Self> {
        let buffer = |name| context.gpu.buffer(name, 1);
        Ok(Side {
            places: buffer("places of the halo")?,
            parts: Vec::new(),
            words: RefCell::new(buffer("halo")?),
            bytes: RefCell::default(),
        })
    }

    /// Goes on with other places.
    fn follow(&mut self, context: &Context, places: &[Vec<u32>]) -> Result<()> {
        self.parts.clear();
        let mut end = 0;
        for places in places {
            self.parts.push(end..end + places.len());
            end += places.len();
        }
        if end > self.places.len() {
            self.places = context.gpu.buffer("places of the halo", end + end / 16)?;
        }
        match end {
            0 => Ok(()),
            _ => self.places.write(Section::Comm, 0, &places.concat()),
        }
    }

    fn atoms(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// Launches a kernel over all words of these atoms.
    fn launch(&self, kernel: &Kernel, words: Words<'_>, context: &Context) -> Result<()> {
        let count = self.atoms() * words.width;
        if self.words.borrow().len() < count {
            *self.words.borrow_mut() = context.gpu.buffer("halo", count + count / 16)?;
        }
        let packed = self.words.borrow();
        let args = [
            words.buffer,
            (&self.places).into(),
            Arg::from(&*packed),
            Arg::U32(words.width as u32),
            Arg::U32(count as u32),
        ];
        kernel.launch_each(Section::Comm, count, context.shape.local, &args)
    }

    fn bytes_of(&self, width: usize) -> Vec<Range<usize>> {
        let size = 4 * width;
        self.parts.iter().map(|part| part.start * size..part.end * size).collect()
    }
}

impl Halo {
    pub(super) fn new(context: &Context) -> Result<Self> {
        let program = context.program(&[HALO])?;
        Ok(Halo {
            pack: program.kernel("pack_places")?,
            unpack: program.kernel("unpack_places")?,
            to: Side::new(context)?,
            from: Side::new(context)?,
            most: 0,
        })
    }

    /// Goes on with the places that atoms have now.
    pub(super) fn follow(&mut self, context: &Context, places: &Places) -> Result<()> {
        self.most = places.most;
        self.to.follow(context, &places.to)?;
        self.from.follow(context, &places.from)
    }

    /// The atoms of others that this rank hears of.
    pub(super) fn ghosts(&self) -> usize {
        self.from.atoms()
    }

    /// The most that any rank hears of.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Has each rank hear of them what others have in a buffer.
    pub(super) fn exchange(&self, words: Words<'_>, context: &Context) -> Result<()> {
        let (to, from) = (&self.to, &self.from);
        let (told, heard) = (&mut *to.bytes.borrow_mut(), &mut *from.bytes.borrow_mut());
        told.resize(4 * words.width * to.atoms(), 0);
        heard.resize(4 * words.width * from.atoms(), 0);
        if !told.is_empty() {
            to.launch(&self.pack, words, context)?;
            let all = 0..told.len() / 4;
            to.words.borrow().view(Section::Comm, all, |words| {
                told.copy_from_slice(bytemuck::cast_slice(words));
            })?;
        }
        ranks::exchange(told, &to.bytes_of(words.width), heard, &from.bytes_of(words.width));
        if heard.is_empty() {
            return Ok(());
        }
        let count = heard.len() / 4;
        if from.words.borrow().len() < count {
            *from.words.borrow_mut() = context.gpu.buffer("halo", count + count / 16)?;
        }
        from.words.borrow().fill(Section::Comm, 0..count, |words| {
            bytemuck::cast_slice_mut(words).copy_from_slice(heard);
        })?;
        from.launch(&self.unpack, words, context)
    }
}
