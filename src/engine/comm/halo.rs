//! The atoms of other ranks that a rank's lists may name, and the exchange of what is known of them (cl/comm/halo.cl).

use super::cell_atoms::CellAtoms;
use super::division::Places;
use super::{halo_program, make_room};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::{DeviceAtoms, Halt, status};
use crate::engine::kernels::Context;
use crate::gpu::record::Section;
use crate::gpu::{Arg, Buffer, Gpu, Kernel, SharedWindow};
use std::cell::RefCell;
use std::ops::Range;

/// What the status says of a halt, in words (cl/comm/halo.cl).
const STATUS_TOLD: usize = 3;

/// A buffer with words of 32 bits of each atom.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    /// The buffer.
    pub(super) buffer: Arg<'a>,
    /// Words of an atom, side by side in a row.
    pub(super) width: usize,
    /// Which of the rows are told.
    pub(super) rows: (usize, usize),
    /// Atoms from one row to the next.
    pub(super) stride: usize,
}

impl<'a> Words<'a> {
    /// In one row.
    pub(super) fn row(buffer: Arg<'a>, width: usize) -> Self {
        Words { buffer, width, rows: (0, 1), stride: 0 }
    }

    /// Words of an atom in all the rows.
    pub(super) fn each(&self) -> usize {
        self.width * (self.rows.1 - self.rows.0)
    }

    /// How they lie, and how many are told of some atoms: what the kernels are given last.
    fn counts(&self, atoms: usize) -> [Arg<'a>; 5] {
        let each = self.each();
        [self.width, each, self.rows.0, self.stride, atoms * each].map(|count| Arg::U32(count as u32))
    }
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
    most_told: usize,
    /// The ranks near this one, where all have few of them: those that it tells or hears of are among them.
    near: Option<Vec<usize>>,
}

/// Whether messages to so many ranks and those of a maximum over all, which go one after another, are fewer than messages to all. Ranks of the
/// own machine, which get none, count on both sides.
fn are_few(near: usize, ranks: usize) -> bool {
    near + 2 * (ranks.ilog2() as usize) < ranks - 1
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
        make_room(&mut self.places, context, end)?;
        match end {
            0 => Ok(()),
            _ => self.places.write(Section::Comm, 0, &places.concat()),
        }
    }

    fn atoms(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    /// Has room for all words of these atoms.
    fn make_room(&self, words: Words<'_>, context: &Context) -> Result<()> {
        make_room(&mut self.words.borrow_mut(), context, self.atoms() * words.each() + STATUS_TOLD)
    }

    /// Where the words of the atoms of each rank are, in bytes.
    fn bytes_of(&self, words: Words<'_>) -> Vec<Range<usize>> {
        let size = 4 * words.each();
        self.parts.iter().map(|part| part.start * size..part.end * size).collect()
    }
}

impl Halo {
    pub(super) fn new(context: &Context) -> Result<Self> {
        let program = halo_program(context)?;
        Ok(Halo {
            pack: program.kernel("pack_places")?,
            unpack: program.kernel("unpack_places")?,
            to: Side::new(context)?,
            from: Side::new(context)?,
            most: 0,
            most_told: 0,
            near: None,
        })
    }

    /// Goes on with the places that atoms have now.
    pub(super) fn follow(&mut self, context: &Context, places: &Places) -> Result<()> {
        (self.most, self.most_told) = (places.most, places.most_told);
        self.to.follow(context, &places.to)?;
        self.from.follow(context, &places.from)?;
        self.near = are_few(places.most_near, ranks::count()).then(|| places.near.clone());
        if let Some(near) = &self.near {
            log::debug!("messages to other machines are for the {} ranks near this one", near.len());
        }
        Ok(())
    }

    /// Goes on with the atoms of the cells that `near` tells and hears of, where they are now. Waits for the device.
    pub(super) fn follow_cells(
        &mut self,
        near: &Halo,
        lists: &CellAtoms,
        atoms: &DeviceAtoms,
        ranges: &Buffer<u32>,
    ) -> Result<()> {
        let (context, [told, heard]) = (&atoms.context, [&near.to, &near.from]);
        let runs = [told, heard].map(|side| (&side.places, side.atoms()));
        let ends = lists.count(context, runs, ranges)?;
        for (k, side) in [&mut self.to, &mut self.from].into_iter().enumerate() {
            side.parts.clear();
            let mut begin = 0;
            side.parts.extend(ends[k].iter().map(|&end| std::mem::replace(&mut begin, end)..end));
            make_room(&mut side.places, context, begin)?;
            lists.list(context, k, runs[k], ranges, &side.places)?;
        }
        let most = ranks::max([&self.from, &self.to].map(|side| side.atoms() as i64));
        [self.most, self.most_told] = most.map(|atoms| atoms as usize);
        Ok(())
    }

    /// Launches all that [`Halo::follow_cells`] and an exchange of these cells do, so that none is compiled in the loop.
    pub(super) fn warm_up(&self, lists: &CellAtoms, atoms: &DeviceAtoms, ranges: &Buffer<u32>) -> Result<()> {
        let words = Words::row(ranges.into(), 2);
        self.pack(words, atoms)?;
        let heard = self.from.words.borrow();
        let nothing = [ranges, &self.from.places, &*heard].map(Arg::from);
        let nothing = [&nothing[..], &words.counts(0)].concat();
        self.unpack.launch_each(Section::Comm, 1, atoms.context.shape.local, &nothing)?;
        let runs = [&self.to, &self.from].map(|side| (&side.places, 0));
        lists.count(&atoms.context, runs, ranges)?;
        lists.list(&atoms.context, 0, runs[0], ranges, &self.from.places)
    }

    /// By rank how many this one tells, and hears of.
    pub(super) fn parts(&self) -> [&[Range<usize>]; 2] {
        [&self.to.parts, &self.from.parts]
    }

    /// Behind an exchange: has what was heard be in another buffer, too.
    pub(super) fn repeat(&self, words: Words<'_>, context: &Context) -> Result<()> {
        if self.from.atoms() == 0 { Ok(()) } else { self.unpack(words, context) }
    }

    /// The atoms of others that this rank hears of.
    pub(super) fn ghosts(&self) -> usize {
        self.from.atoms()
    }

    /// Their places, and how many they are.
    pub(super) fn heard(&self) -> (&Buffer<u32>, usize) {
        (&self.from.places, self.from.atoms())
    }

    /// The places of the atoms that this rank tells of, and which of them each rank is told of.
    pub(super) fn told(&self) -> (&Buffer<u32>, &[Range<usize>]) {
        (&self.to.places, &self.to.parts)
    }

    /// The most that any rank hears of.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The bytes of as many words of 32 bits as any rank tells of each atom.
    pub(super) fn most_told(&self, width: usize) -> usize {
        4 * (width * self.most_told + STATUS_TOLD)
    }

    /// Has each rank hear of them what others have in a buffer; through a window where ranks have one. Says what the status of any
    /// says of a halt, where that has come along.
    pub(super) fn exchange(
        &self,
        words: Words<'_>,
        window: Option<&SharedWindow>,
        atoms: &DeviceAtoms,
    ) -> Result<Option<Halt>> {
        match window {
            Some(window) => self.exchange_through(window, words, atoms),
            None => self.exchange_messages(words, atoms),
        }
    }

    /// Launches the copy of what is told, and of what the status says.
    fn pack(&self, words: Words<'_>, atoms: &DeviceAtoms) -> Result<()> {
        let (to, context) = (&self.to, &atoms.context);
        to.make_room(words, context)?;
        let packed = to.words.borrow();
        let buffers = [words.buffer, (&to.places).into(), Arg::from(&*packed), (&atoms.status).into()];
        let args = [&buffers[..], &words.counts(to.atoms())].concat();
        self.pack.launch_each(Section::Comm, self.words_told(words), context.shape.local, &args)
    }

    /// Launches the copy of what is heard to its places.
    fn unpack(&self, words: Words<'_>, context: &Context) -> Result<()> {
        let from = &self.from;
        let heard = from.words.borrow();
        let buffers = [words.buffer, (&from.places).into(), Arg::from(&*heard)];
        let args = [&buffers[..], &words.counts(from.atoms())].concat();
        self.unpack.launch_each(Section::Comm, from.atoms() * words.each(), context.shape.local, &args)
    }

    /// Begins a turn of the window: says what is for whom, and launches the copy of it.
    fn begin(&self, window: &SharedWindow, words: Words<'_>, atoms: &DeviceAtoms) -> Result<()> {
        let memory = window.memory();
        memory.begin();
        memory.say_ends(self.ends(words), 0, 4 * STATUS_TOLD);
        self.pack(words, atoms)
    }

    fn exchange_through(
        &self,
        window: &SharedWindow,
        words: Words<'_>,
        atoms: &DeviceAtoms,
    ) -> Result<Option<Halt>> {
        self.begin(window, words, atoms)?;
        self.to.words.borrow().show(Section::Comm, 0..self.words_told(words), window, 0, None)?;
        let halt = self.meet(window)?;
        self.take(window, words, None, atoms)?;
        Ok(Some(halt))
    }

    /// The same, where `meanwhile` enqueues what the exchange does not wait for. What is said of a halt is as of before that.
    pub(super) fn exchange_meanwhile(
        &self,
        window: &SharedWindow,
        words: Words<'_>,
        atoms: &DeviceAtoms,
        meanwhile: impl FnOnce() -> Result<()>,
    ) -> Result<Halt> {
        let gpu = &atoms.context.gpu;
        self.begin(window, words, atoms)?;
        let packed = gpu.moment()?;
        meanwhile()?;
        gpu.flush()?;
        self.to.words.borrow().show(Section::Comm, 0..self.words_told(words), window, 0, Some(&packed))?;
        let halt = self.meet(window)?;
        self.take(window, words, Some(gpu), atoms)?;
        Ok(halt)
    }

    /// What the status of any rank says of a halt now, once the device has done all that is enqueued.
    pub(super) fn tell_of_halt(&self, window: &SharedWindow, atoms: &DeviceAtoms) -> Result<Halt> {
        let memory = window.memory();
        let own = Halt::read(atoms)?;
        if self.near_elsewhere(window).is_some() {
            return Ok(own.of_any());
        }
        memory.begin();
        memory.say_ends(self.from.parts.iter().map(|_| 0), 0, 4 * STATUS_TOLD);
        let words = [own.step, own.apart, own.slots];
        memory.write(memory.place(0, size_of_val(&words)), bytemuck::cast_slice(&words));
        window.meet()?;
        Ok(Halo::halt_of(window, 0..ranks::count()))
    }

    /// The ranks near this one, where messages go to these alone.
    fn near_elsewhere(&self, window: &SharedWindow) -> Option<&[usize]> {
        self.near.as_deref().filter(|_| !window.memory().is_seen_by_all())
    }

    /// Meets the others behind [`SharedWindow`]'s `say_ends` and all that is shown; what the status of any rank says of a halt.
    fn meet(&self, window: &SharedWindow) -> Result<Halt> {
        match self.near_elsewhere(window) {
            None => {
                window.meet()?;
                Ok(Halo::halt_of(window, 0..ranks::count()))
            }
            Some(near) => {
                window.meet_some(near)?;
                Ok(Halo::halt_of(window, ranks::rank()..ranks::rank() + 1).of_any())
            }
        }
    }

    /// Where in bytes that ends which is for each rank.
    fn ends(&self, words: Words<'_>) -> impl Iterator<Item = usize> {
        self.to.parts.iter().map(move |part| 4 * words.each() * part.end)
    }

    /// How many words are told.
    fn words_told(&self, words: Words<'_>) -> usize {
        self.to.atoms() * words.each() + STATUS_TOLD
    }

    /// What some ranks show of a halt behind what they tell of atoms.
    fn halt_of(window: &SharedWindow, some: Range<usize>) -> Halt {
        let memory = window.memory();
        let told = some.map(|rank| {
            let mut bytes = [0; 4 * STATUS_TOLD];
            let end = memory.end(rank, ranks::count());
            memory.read(rank, memory.place(end, bytes.len()), &mut bytes);
            let [step, apart, slots] = bytemuck::pod_read_unaligned(&bytes);
            Halt { step, apart, slots }
        });
        let none = Halt { step: status::NEVER, apart: 0, slots: 0 };
        told.fold(none, |said, halt| said.or(&halt))
    }

    /// Enqueues the copies of what others show to its places; `beside` other commands of a device.
    fn take(
        &self,
        window: &SharedWindow,
        words: Words<'_>,
        beside: Option<&Gpu>,
        atoms: &DeviceAtoms,
    ) -> Result<()> {
        let (from, memory, context) = (&self.from, window.memory(), &atoms.context);
        if from.atoms() == 0 {
            return Ok(());
        }
        from.make_room(words, context)?;
        let heard = from.words.borrow();
        for (rank, part) in from.parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let numbers = part.start * words.each()..part.end * words.each();
            let from = (rank, memory.for_this(rank));
            heard.take(Section::Comm, numbers, window, from, beside.is_some())?;
        }
        if let Some(gpu) = beside {
            window.rejoin(gpu)?;
        }
        drop(heard);
        self.unpack(words, context)
    }

    fn exchange_messages(&self, words: Words<'_>, atoms: &DeviceAtoms) -> Result<Option<Halt>> {
        let (to, from, context) = (&self.to, &self.from, &atoms.context);
        let (told, heard) = (&mut *to.bytes.borrow_mut(), &mut *from.bytes.borrow_mut());
        told.resize(4 * words.each() * to.atoms(), 0);
        heard.resize(4 * words.each() * from.atoms(), 0);
        if !told.is_empty() {
            self.pack(words, atoms)?;
            let all = 0..told.len() / 4;
            to.words.borrow().view(Section::Comm, all, |words| {
                told.copy_from_slice(bytemuck::cast_slice(words));
            })?;
        }
        ranks::exchange(told, &to.bytes_of(words), heard, &from.bytes_of(words));
        if heard.is_empty() {
            return Ok(None);
        }
        from.make_room(words, context)?;
        from.words.borrow().fill(Section::Comm, 0..heard.len() / 4, |words| {
            bytemuck::cast_slice_mut(words).copy_from_slice(heard);
        })?;
        self.unpack(words, context)?;
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::are_few;

    #[test]
    fn messages_to_all_are_for_few_ranks() {
        assert!(!are_few(0, 1) && !are_few(1, 2) && !are_few(3, 4) && !are_few(2, 8));
        assert!(are_few(2, 10) && are_few(26, 64) && !are_few(60, 64));
    }
}
