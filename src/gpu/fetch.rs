//! Copies to the host that it does not wait for.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;

use super::buffer::{Buffer, Doing};
use super::device::Gpu;
use super::staging::Pinned;
use super::status::Failure;
use crate::error::Result;
use crate::timing::Section;

/// Elements of a buffer on their way to the host.
pub struct Arriving<T> {
    gpu: Gpu,
    name: &'static str,
    memory: Pinned,
    bytes: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Arriving<T> {
    /// Waits for them.
    ///
    /// # Errors
    /// When the device failed.
    pub fn wait(mut self) -> Result<Vec<T>> {
        let failed = |failure: Failure| failure.while_doing(Doing("read", self.name));
        let there = &self.memory.bytes_mut().map_err(failed)?[..self.bytes];
        let elements = bytemuck::pod_collect_to_vec(there);
        self.gpu.0.arrivals.set(Some(self.memory));
        Ok(elements)
    }
}

impl<T: Pod> Buffer<T> {
    /// Enqueues a copy of `range` of the elements to the host, as they are after all commands before, and does not wait.
    ///
    /// # Errors
    /// A range outside the buffer, or a device that failed.
    pub fn fetch(&self, section: Section, range: Range<usize>) -> Result<Arriving<T>> {
        let (offset, bytes) = self.storage.span(&range, self.len(), size_of::<T>())?;
        let (storage, inner) = (&self.storage, &self.storage.gpu.0);
        let _lent = storage.host.try_borrow().map_err(|_| storage.lent())?;
        let failed = |failure: Failure| failure.while_doing(Doing("read", self.name()));
        let mut memory = match inner.arrivals.take().filter(|kept| kept.len() >= bytes) {
            Some(kept) => kept,
            None => Pinned::new(&inner.context, inner.queues.last(), bytes.next_power_of_two().max(64))
                .map_err(failed)?,
        };
        storage.command(section, "read", bytes, |queue, timed| {
            let event = memory.fetch(queue, &storage.mem, offset, bytes)?;
            Ok(timed.then_some(event))
        })?;
        Ok(Arriving { gpu: storage.gpu.clone(), name: storage.name, memory, bytes, element: PhantomData })
    }
}
