//! Host memory through which a discrete device is reached: pinned, and mapped once.
#![allow(unsafe_code)]

use std::cell::Cell;

use ocl::core::ffi::CL_MEM_ALLOC_HOST_PTR;

use super::cl::{Context, Event, Mem};
use super::queue::{Access, Queue};
use super::status::ClResult;

/// Above this, pinning would take more of the host's memory than the faster copy is worth.
const PINNED_LIMIT: usize = 256 << 20;

/// Memory for one transfer.
pub(super) enum Staging {
    /// The memory of an ALLOC_HOST_PTR buffer, which the device copies from and to directly.
    Pinned(Pinned),
    /// Plain memory, for large transfers. (16-byte words, so that it is aligned for every element.)
    Plain(Vec<u128>),
}

/// Pinned memory, reused from transfer to transfer.
pub(super) struct Pinned {
    /// Owns the memory.
    _mem: Mem,
    pointer: *mut u8,
    len: usize,
    /// The copy to the device that still reads this memory.
    busy: Option<Event>,
}

impl Staging {
    /// At least `bytes` bytes: what is in `kept`, if that is large enough.
    pub(super) fn new(kept: &Cell<Option<Pinned>>, bytes: usize, context: &Context, queue: &Queue) -> Self {
        if bytes <= PINNED_LIMIT {
            if let Some(pinned) = kept.take()
                && pinned.len >= bytes
            {
                return Staging::Pinned(pinned);
            }
            match Pinned::new(context, queue, bytes.next_power_of_two().max(1 << 16)) {
                Ok(pinned) => return Staging::Pinned(pinned),
                Err(failure) => log::debug!("no pinned memory of {bytes} bytes: {}", failure.name()),
            }
        }
        Staging::Plain(vec![0; bytes.div_ceil(16)])
    }

    /// The memory, once no copy reads it any more.
    pub(super) fn bytes_mut(&mut self) -> ClResult<&mut [u8]> {
        match self {
            Staging::Pinned(pinned) => pinned.bytes_mut(),
            Staging::Plain(words) => Ok(bytemuck::cast_slice_mut(words)),
        }
    }

    /// Enqueues the copy of the first `bytes` bytes to the device; from pinned memory it does not wait.
    pub(super) fn send(
        &mut self,
        queue: &Queue,
        mem: &Mem,
        offset: usize,
        bytes: usize,
    ) -> ClResult<Option<Event>> {
        let pinned = match self {
            Staging::Plain(words) => {
                return queue.write(mem, offset, &bytemuck::cast_slice(words)[..bytes], true);
            }
            Staging::Pinned(pinned) => pinned,
        };
        let data: &[u8] = &pinned.bytes_mut()?[..bytes];
        // SAFETY: every way to this memory (`bytes_mut`, `drop`) waits for `busy`, the event of this copy.
        let event = unsafe { queue.write_later(mem, offset, data.as_ptr(), data.len()) }?;
        pinned.busy.clone_from(&event);
        // So that the device begins while the host goes on.
        queue.flush()?;
        Ok(event)
    }

    /// The pinned memory, to be kept for the next transfer.
    pub(super) fn into_pinned(self) -> Option<Pinned> {
        match self {
            Staging::Pinned(pinned) => Some(pinned),
            Staging::Plain(_) => None,
        }
    }
}

impl Pinned {
    /// So many bytes of it.
    pub(super) fn new(context: &Context, queue: &Queue, len: usize) -> ClResult<Self> {
        let mem = Mem::new(context, CL_MEM_ALLOC_HOST_PTR, len)?;
        let (mapped, _) = queue.map(&mem, Access::Write, 0, len, false)?;
        let pointer = mapped.keep();
        Ok(Pinned { _mem: mem, pointer, len, busy: None })
    }

    /// The memory, once no copy reads it any more.
    pub(super) fn bytes_mut(&mut self) -> ClResult<&mut [u8]> {
        if let Some(event) = self.busy.take() {
            event.wait()?;
        }
        // SAFETY: mapped for writing as long as `_mem` lives, `len` bytes; no copy reads it any more, no
        // kernel knows the buffer, and `&mut self` makes this the only slice.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len) })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // The copy reads this memory: it must not go before the copy has ended.
        if let Some(event) = self.busy.take() {
            let _ = event.wait();
        }
    }
}
