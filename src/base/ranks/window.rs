//! What ranks show one another. Those of one machine do so in memory that all of them see, which spares the library's copies; those of
//! others get what is for them as messages, and read it in the same way.
//!
//! All ranks take turns together. In a turn each rank writes what it has to show to its part, for one rank behind the other, says so, and waits
//! for the others to have done the same ([`Window::meet`]); then it reads theirs. Of ranks elsewhere it may wait for those near it alone
//! ([`Window::meet_some`]). Parts have two halves in turn, so what is shown in a turn stays until the others have come to the end of the next
//! one's writing, before which they have read it.

use super::memory::SharedMemory;
use super::{any, count, local, max, rank, several};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where each half's table of ends begins, the turn of a rank being at 0, and where the halves begin.
const TABLES: [usize; 2] = [1 << 6, 1 << 11];
const HALVES: usize = 1 << 12;

/// Ranks that have room in a table.
const MOST: usize = 200;

thread_local! {
    /// The one that there is; it lasts as long as the process, or until a larger one is asked for.
    static WINDOW: RefCell<Option<Rc<Window>>> = const { RefCell::new(None) };
}

/// What a message begins with: where what is for its rank begins and ends, and all that is shown in several turns; how much was shown in the turns
/// before, and how much there is for all ranks behind.
const HEAD: usize = 5;

/// A part of each rank, and the messages of ranks elsewhere.
pub struct Window {
    memory: SharedMemory,
    half: usize,
    turn: Cell<u64>,
    /// Of what is shown, how many bytes turns before have shown, and how many are for all ranks behind the ends.
    around: Cell<[usize; 2]>,
    /// Messages to and from ranks elsewhere.
    told: RefCell<Vec<(usize, Vec<u8>)>>,
    heard: RefCell<Vec<(usize, Vec<u8>)>>,
}

/// Whether the machine has memory to share, of so many bytes: where it is kept in files, their file system has a limit.
fn has_room(bytes: usize) -> bool {
    #[cfg(unix)]
    if let Ok(system) = rustix::fs::statvfs("/dev/shm") {
        return system.f_bavail.saturating_mul(system.f_frsize) > 2 * bytes as u64;
    }
    cfg!(unix)
}

impl Window {
    /// The window, with halves of at least so many bytes, the same number on all ranks, which ask for it at once; `None` where they share no
    /// memory.
    pub fn get(half: usize) -> Option<Rc<Window>> {
        let mpi = several()?;
        let kept = WINDOW.with_borrow(Clone::clone);
        if let Some(window) = kept.filter(|window| window.half >= half) {
            return Some(window);
        }
        let half = half.next_power_of_two().max(1 << 16);
        let lacks = count() > MOST || !has_room(2 * half * local()[1]);
        let machines =
            std::env::var("CLAMPS_WINDOW").ok().and_then(|number| number.parse::<i64>().ok()).unwrap_or(1);
        if any(lacks || machines == 0) {
            return None;
        }
        // The variable may be set on some machines only.
        let [machines] = max([machines]);
        let memory = mpi.shared(HALVES + 2 * half, machines as usize);
        let messages = |length| {
            let message = |&rank: &usize| (rank, vec![0; length]);
            RefCell::new(memory.elsewhere.iter().map(message).collect())
        };
        let (told, heard) = (messages(0), messages(8 * HEAD + half));
        let window =
            Rc::new(Window { memory, half, turn: Cell::new(0), around: Cell::default(), told, heard });
        window.memory.number(rank(), 0).store(0, Ordering::Release);
        mpi.barrier();
        WINDOW.set(Some(window.clone()));
        Some(window)
    }

    /// Bytes of a half.
    pub fn half(&self) -> usize {
        self.half
    }

    /// Bytes of a part.
    pub fn size(&self) -> usize {
        self.memory.len()
    }

    /// Where a rank's part begins in this process.
    pub fn address(&self, rank: usize) -> *mut u8 {
        self.memory.at(rank, 0, self.memory.len())
    }

    /// Begins a turn.
    pub fn begin(&self) {
        self.turn.set(self.turn.get() + 1);
    }

    /// Where in a rank's part this turn's half has so many bytes from `offset` on.
    ///
    /// # Panics
    /// Where the half ends before.
    pub fn place(&self, offset: usize, bytes: usize) -> usize {
        assert!(offset <= self.half && bytes <= self.half - offset, "more than a window has room for");
        HALVES + (self.turn.get() % 2) as usize * self.half + offset
    }

    /// Copies bytes to a place of this rank's part.
    pub fn write(&self, place: usize, bytes: &[u8]) {
        self.memory.write(place, bytes);
    }

    /// Copies bytes from a place of a rank's part.
    pub fn read(&self, rank: usize, place: usize, bytes: &mut [u8]) {
        self.memory.read(rank, place, bytes);
    }

    /// Whether all ranks see the same memory, so that all may read what each shows.
    pub fn is_seen_by_all(&self) -> bool {
        self.memory.elsewhere.is_empty()
    }

    /// Says where that ends which is for each rank, one behind the other, of what this rank shows in this turn's half; `before` bytes of it were
    /// shown in turns before, and `behind` more are for all ranks.
    pub fn say_ends(&self, ends: impl Iterator<Item = usize>, before: usize, behind: usize) {
        for (k, end) in ends.enumerate() {
            self.end_of(rank(), k).store(end as u64, Ordering::Relaxed);
        }
        self.around.set([before, behind]);
    }

    /// Where in this turn that ends which a rank has for the k-th.
    fn end_of(&self, rank: usize, k: usize) -> &AtomicU64 {
        self.memory.number(rank, TABLES[(self.turn.get() % 2) as usize] + 8 * k)
    }

    /// Where that ends which a rank shows for the first so many ranks.
    pub fn end(&self, of: usize, ranks: usize) -> usize {
        let last = ranks.checked_sub(1);
        last.map_or(0, |k| self.end_of(of, k).load(Ordering::Relaxed) as usize)
    }

    /// Where that which is for this rank begins.
    pub fn for_this(&self, of: usize) -> usize {
        self.end(of, rank())
    }

    /// This rank has written all that it shows in this turn, and read all of the turns before: waits until that is so of each.
    pub fn meet(&self) {
        self.meet_where(|_| true);
    }

    /// The same, where what this rank shows is for some ranks alone, and it reads only what these show: of ranks elsewhere it waits for these.
    pub fn meet_some(&self, some: &[usize]) {
        self.meet_where(|rank| some.binary_search(&rank).is_ok());
    }

    fn meet_where(&self, is_met: impl Fn(usize) -> bool) {
        let turn = self.turn.get();
        self.memory.number(rank(), 0).store(turn, Ordering::Release);
        let Some(mpi) = several() else { return };
        let elsewhere = &self.memory.elsewhere;
        let here = |other: &usize| !elsewhere.contains(other);
        let mut next = (0..count()).filter(here).peekable();
        let all_here = || {
            while next
                .peek()
                .is_some_and(|&other| self.memory.number(other, 0).load(Ordering::Acquire) >= turn)
            {
                next.next();
            }
            next.peek().is_none()
        };
        if elsewhere.is_empty() {
            return mpi.wait_until(all_here);
        }
        let (told, heard) = (&mut *self.told.borrow_mut(), &mut *self.heard.borrow_mut());
        told.iter_mut().filter(|(to, _)| is_met(*to)).for_each(|(to, message)| self.pack(*to, message));
        let told: Vec<_> = told.iter().filter(|(to, _)| is_met(*to)).collect();
        let mut heard: Vec<_> = heard.iter_mut().filter(|(from, _)| is_met(*from)).collect();
        mpi.swap(&told, &mut heard, all_here);
        heard.iter().for_each(|(from, message)| self.unpack(*from, message));
    }

    /// By what a message begins with: which bytes of this turn's half it has for its rank, and which for all.
    fn in_turn(&self, [begin, end, all, before, behind]: [usize; HEAD]) -> [Range<usize>; 2] {
        let at = |byte: usize| byte.clamp(before, before + self.half) - before;
        [at(begin)..at(end), at(all)..at(all + behind)]
    }

    /// What this rank shows for another one.
    fn pack(&self, to: usize, message: &mut Vec<u8>) {
        let [begin, end, all] = [to, to + 1, count()].map(|ranks| self.end(rank(), ranks));
        let [before, behind] = self.around.get();
        message.clear();
        let head = [begin, end, all, before, behind];
        message.extend(head.iter().flat_map(|&number| (number as u64).to_le_bytes()));
        for shown in self.in_turn(head) {
            let (at, length) = (message.len(), shown.len());
            message.resize(at + length, 0);
            self.read(rank(), self.place(shown.start, length), &mut message[at..]);
        }
    }

    /// Has the copy of another rank's part be what has come of it.
    fn unpack(&self, from: usize, message: &[u8]) {
        let mut head = [0; HEAD];
        for (number, bytes) in head.iter_mut().zip(message.as_chunks().0) {
            *number = u64::from_le_bytes(*bytes) as usize;
        }
        let [begin, end, all, ..] = head;
        for (ranks, place) in [(rank(), begin), (rank() + 1, end), (count(), all)] {
            if let Some(k) = ranks.checked_sub(1) {
                self.end_of(from, k).store(place as u64, Ordering::Relaxed);
            }
        }
        let mut at = 8 * HEAD;
        for shown in self.in_turn(head) {
            let bytes = &message[at..at + shown.len()];
            self.memory.follow(from, self.place(shown.start, shown.len()), bytes);
            at += shown.len();
        }
    }
}
