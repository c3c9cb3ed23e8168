//! What ranks of one machine show one another in memory that all of them see, which spares the library's copies.
//!
//! All ranks take turns together. In a turn each rank writes what it has to show to its part, says so, and waits for the others to have done the
//! same ([`Window::meet`]); then it reads theirs. Parts have two halves in turn, so what is shown in a turn stays until the others have
//! come to the end of the next one's writing, before which they have read it.

use super::mpi::SharedMemory;
use super::{any, count, local, rank, several};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Where each half's table of ends begins, the turn of a rank being at 0, and where the halves begin.
const TABLES: [usize; 2] = [1 << 6, 1 << 11];
const HALVES: usize = 1 << 12;

/// Ranks that have room in a table.
const MOST: usize = 200;

thread_local! {
    /// The one that there is; it lasts as long as the process, or until a larger one is asked for.
    static WINDOW: RefCell<Option<Rc<Window>>> = const { RefCell::new(None) };
}

/// Memory that the ranks of a machine see, a part of each.
pub struct Window {
    memory: SharedMemory,
    half: usize,
    turn: Cell<u64>,
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
    /// The window, with halves of at least so many bytes, the same number on all ranks, which ask for it at once; `None` where ranks are
    /// on several machines, or share no memory.
    pub fn get(half: usize) -> Option<Rc<Window>> {
        let mpi = several()?;
        let kept = WINDOW.with_borrow(Clone::clone);
        if let Some(window) = kept.filter(|window| window.half >= half) {
            return Some(window);
        }
        let half = half.next_power_of_two().max(1 << 16);
        let lacks = local() != [rank(), count()] || count() > MOST || !has_room(2 * half * count());
        if any(lacks || std::env::var("CLAMPS_WINDOW").as_deref() == Ok("0")) {
            return None;
        }
        let memory = mpi.shared(HALVES + 2 * half);
        let window = Rc::new(Window { memory, half, turn: Cell::new(0) });
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

    /// Says where in this turn's half that which is for each rank ends, one behind the other.
    pub fn say_ends(&self, ends: impl Iterator<Item = usize>) {
        let table = TABLES[(self.turn.get() % 2) as usize];
        for (k, end) in ends.enumerate() {
            self.memory.number(rank(), table + 8 * k).store(end as u64, Ordering::Relaxed);
        }
    }

    /// Where in this turn's half of a rank that which is for the first so many ranks ends.
    pub fn end(&self, of: usize, ranks: usize) -> usize {
        let table = TABLES[(self.turn.get() % 2) as usize];
        let last = ranks.checked_sub(1);
        last.map_or(0, |k| self.memory.number(of, table + 8 * k).load(Ordering::Relaxed) as usize)
    }

    /// Where that which is for this rank begins.
    pub fn for_this(&self, of: usize) -> usize {
        self.end(of, rank())
    }

    /// This rank has written all that it shows in this turn, and read all of the turns before: waits until that is so of each.
    pub fn meet(&self) {
        let turn = self.turn.get();
        self.memory.number(rank(), 0).store(turn, Ordering::Release);
        let Some(mpi) = several() else { return };
        let behind = |&other: &usize| self.memory.number(other, 0).load(Ordering::Acquire) < turn;
        let mut next = 0;
        mpi.wait_until(|| {
            while next < count() && !behind(&next) {
                next += 1;
            }
            next == count()
        });
    }
}
