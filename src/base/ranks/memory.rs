//! Memory of ranks as addresses: what [`super::mpi`] has mapped of each, and copies of what is elsewhere. Other processes change some of it at
//! any time, so it is no slice of Rust's, and what reads and writes it is unsafe. It stands here and not in the device layer, as no device has to
//! do with it: `mpi` maps it, and `window` keeps the order of what is read and written.
#![allow(unsafe_code)]

use std::ptr::copy_nonoverlapping;
use std::sync::atomic::AtomicU64;

/// A size that divides what is mapped at once, so that a place is at the same distance from it in each process.
pub(super) const PAGE: usize = 1 << 12;

/// Memory of all ranks, a part of each; never freed. Ranks of a machine see the same parts of their own. Of those of ranks elsewhere each has a
/// copy, in pages that are memory only once something has come.
pub(super) struct SharedMemory {
    /// Where each part begins in this process.
    pub(super) parts: Vec<usize>,
    pub(super) own: usize,
    pub(super) bytes: usize,
    /// The ranks of which this one has copies.
    pub(super) elsewhere: Vec<usize>,
}

impl SharedMemory {
    /// Bytes of a part.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Where so many bytes of a rank's part lie.
    pub(super) fn at(&self, rank: usize, place: usize, bytes: usize) -> *mut u8 {
        assert!(place <= self.bytes && bytes <= self.bytes - place, "a place outside shared memory");
        (self.parts[rank] + place) as *mut u8
    }

    /// A number at a place of a rank's part that all ranks may look at and change at any time: nothing else is kept there.
    pub(super) fn number(&self, rank: usize, place: usize) -> &AtomicU64 {
        let at = self.at(rank, place, size_of::<u64>()).cast::<u64>();
        // SAFETY: within the part, aligned as places of numbers are multiples of 8 and parts begin with pages, and only used as this.
        unsafe { AtomicU64::from_ptr(at) }
    }

    /// Copies bytes to a place of this rank's part, which no other rank reads now, as `super::window` sees to.
    pub(super) fn write(&self, place: usize, bytes: &[u8]) {
        self.write_of(self.own, place, bytes);
    }

    /// Copies bytes that have come from a rank elsewhere to the copy of its part.
    pub(super) fn follow(&self, rank: usize, place: usize, bytes: &[u8]) {
        assert!(self.elsewhere.contains(&rank), "a rank writes its part itself");
        self.write_of(rank, place, bytes);
    }

    fn write_of(&self, rank: usize, place: usize, bytes: &[u8]) {
        let to = self.at(rank, place, bytes.len());
        // SAFETY: `at` has looked at the length, nothing of ours lies in that memory, and no other process writes to this part.
        unsafe { copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    }

    /// Copies bytes from a place of a rank's part, which it does not change now, as `super::window` sees to.
    pub(super) fn read(&self, rank: usize, place: usize, bytes: &mut [u8]) {
        let from = self.at(rank, place, bytes.len());
        // SAFETY: `at` has looked at the length, `bytes` is memory of this process alone, and the rank does not write to its part now.
        unsafe { copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
    }
}
