//! Arrays in device memory.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::Pod;
use ocl::core::ffi::CL_MEM_READ_WRITE;

use super::cl::{Event, Mem};
use super::device::Gpu;
use super::queue::{Access, Mapped, Queue};
use super::staging::Staging;
use super::status::{ClResult, Failure};
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::gpu::record::Section;

/// An array of `len` elements in device memory; dropping it frees the memory.
///
/// While [`view`](Self::view) or [`fill`](Self::fill) lends its elements to a closure, no command on the same
/// buffer may be enqueued from inside that closure; trying to is an error.
pub struct Buffer<T> {
    pub(super) storage: Storage,
    len: usize,
    element: PhantomData<T>,
}

/// What a kernel can take as a memory argument: a [`Buffer`] of any element type.
pub trait DeviceMemory {
    #[doc(hidden)]
    fn storage(&self) -> &Storage;
}

/// A buffer without its element type.
#[doc(hidden)]
pub struct Storage {
    pub(super) gpu: Gpu,
    pub(super) mem: Mem,
    /// Unlike the handle, never used twice.
    pub(super) id: u64,
    pub(super) name: &'static str,
    bytes: u64,
    /// Borrowed while the host holds a slice of the contents: shared by `view`, alone by `fill`. Whoever
    /// enqueues a command that may write checks it.
    host: RefCell<()>,
    /// Where the last map put the first byte.
    address: Cell<Option<usize>>,
}

impl<T> DeviceMemory for Buffer<T> {
    fn storage(&self) -> &Storage {
        &self.storage
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.gpu.untrack(self.bytes);
    }
}

impl Storage {
    /// An error while the host holds a slice of the contents.
    pub(super) fn free_for_commands(&self) -> Result<()> {
        match self.host.try_borrow_mut() {
            Ok(_) => Ok(()),
            Err(_) => Err(self.lent()),
        }
    }

    fn lent(&self) -> Error {
        Error::new(format!("buffer `{}` is used by the device while the host looks at it", self.name))
    }

    /// The range in bytes; an error when it leaves the buffer.
    pub(super) fn span(&self, range: &Range<usize>, len: usize, element: usize) -> Result<(usize, usize)> {
        if range.start > range.end || range.end > len {
            let Range { start, end } = range;
            return Err(Error::new(format!(
                "range {start}..{end} is outside buffer `{}` of {len} elements",
                self.name
            )));
        }
        Ok((range.start * element, (range.end - range.start) * element))
    }

    /// Enqueues one command under its section; the one way to the queue for all but kernels.
    pub(super) fn command<'q>(
        &'q self,
        section: Section,
        name: &'static str,
        copied: usize,
        run: impl FnOnce(&'q Queue, bool) -> ClResult<Option<Event>>,
    ) -> Result<()> {
        self.command_timed(section, name, copied, None, run)
    }

    /// As [`command`](Self::command), timed or not as `timed` says.
    fn command_timed<'q>(
        &'q self,
        section: Section,
        name: &'static str,
        copied: usize,
        timed: Option<bool>,
        run: impl FnOnce(&'q Queue, bool) -> ClResult<Option<Event>>,
    ) -> Result<()> {
        let done = self.gpu.enqueue(section, name, copied, 1, timed, run);
        done.and_then(|()| self.gpu.tell_simulator(&self.mem, self.bytes))
            .map_err(|failure| failure.while_doing(Doing(name, self.name)))
    }
}

struct Doing(&'static str, &'static str);

impl Display for Doing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} buffer `{}`", self.0, self.1)
    }
}

impl<T: Pod> Buffer<T> {
    pub(super) fn new(gpu: &Gpu, name: &'static str, len: usize) -> Result<Self> {
        let element = size_of::<T>();
        // OpenCL has no empty buffers.
        let bytes = len.checked_mul(element).map(|bytes| bytes.max(element).max(16));
        let bytes = bytes.ok_or_else(|| Error::new(format!("buffer `{name}` is too large to address")))?;
        gpu.check_room(name, bytes as u64)?;
        let failed = |failure: Failure| {
            failure.while_doing(format_args!(
                "allocate {} for buffer `{name}` with {} of {} in use on {}",
                super::size(bytes as u64),
                super::size(gpu.allocated()),
                super::size(gpu.info().memory),
                gpu.info().name
            ))
        };
        let inner = &gpu.0;
        let mem = Mem::new(&inner.context, CL_MEM_READ_WRITE | inner.host_flag, bytes).map_err(failed)?;
        // Not booked: this happens before the loop, or when an array has to grow.
        inner.queues.last().clear(&mem, 0, bytes, false).map_err(failed)?;
        gpu.tell_simulator(&mem, bytes as u64).map_err(failed)?;
        let id = gpu.track(bytes as u64);
        let storage = Storage {
            gpu: gpu.clone(),
            mem,
            id,
            name,
            bytes: bytes as u64,
            host: RefCell::new(()),
            address: Cell::new(None),
        };
        Ok(Buffer { storage, len, element: PhantomData })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The name it was made with.
    pub fn name(&self) -> &'static str {
        self.storage.name
    }

    /// Where its first element lies in this process, as of the last time that the host looked; `None` before,
    /// and on devices whose memory the host cannot reach. That it stays the same from map to map is what
    /// shows that nothing is copied.
    pub fn host_address(&self) -> Option<usize> {
        self.storage.address.get()
    }

    /// Waits for all commands before, and shows `range` of the elements to `f`. Where device and host share
    /// memory this is the memory itself (`map`, 0 bytes copied), else a copy (`read`).
    ///
    /// # Errors
    /// A range outside the buffer, or a device that failed, now or in a command before.
    pub fn view<R>(&self, section: Section, range: Range<usize>, f: impl FnOnce(&[T]) -> R) -> Result<R> {
        let (offset, bytes) = self.storage.span(&range, self.len, size_of::<T>())?;
        if bytes == 0 {
            return Ok(f(&[]));
        }
        let storage = &self.storage;
        let _lent = storage.host.try_borrow().map_err(|_| storage.lent())?;
        if storage.gpu.zero_copy() {
            return self.mapped(section, Access::Read, (offset, bytes), |range| {
                Ok(f(self.elements(range.bytes())?))
            });
        }
        let mut staging = storage.gpu.take_staging(bytes);
        let host = &mut staging.bytes_mut()?[..bytes];
        storage.command(section, "read", bytes, |queue, timed| {
            storage.gpu.waiting(|| queue.read(&storage.mem, offset, host, timed))
        })?;
        let result = f(self.elements(host)?);
        storage.gpu.keep_staging(staging);
        Ok(result)
    }

    /// Lets `f` set `range` of the elements. `f` must set every one of them: what it finds is unspecified.
    /// Commands enqueued later see the new elements.
    ///
    /// # Errors
    /// As for [`view`](Self::view).
    pub fn fill(&self, section: Section, range: Range<usize>, f: impl FnOnce(&mut [T])) -> Result<()> {
        let (offset, bytes) = self.storage.span(&range, self.len, size_of::<T>())?;
        if bytes == 0 {
            f(&mut []);
            return Ok(());
        }
        let storage = &self.storage;
        let _lent = storage.host.try_borrow_mut().map_err(|_| storage.lent())?;
        if storage.gpu.zero_copy() {
            return self.mapped(section, Access::Write, (offset, bytes), |range| {
                f(self.elements_mut(range.bytes_mut())?);
                Ok(())
            });
        }
        let mut staging = storage.gpu.take_staging(bytes);
        let host = &mut staging.bytes_mut()?[..bytes];
        f(self.elements_mut(host)?);
        storage.command(section, "write", bytes, |queue, timed| {
            let event = staging.send(queue, &storage.mem, offset, bytes)?;
            Ok(event.filter(|_| timed))
        })?;
        storage.gpu.keep_staging(staging);
        Ok(())
    }

    /// Runs `f` on the mapped range.
    fn mapped<R>(
        &self,
        section: Section,
        access: Access,
        (offset, bytes): (usize, usize),
        f: impl FnOnce(&mut Mapped<'_>) -> Result<R>,
    ) -> Result<R> {
        let storage = &self.storage;
        let mut range = None;
        let mut map_timed = false;
        storage.command(section, "map", 0, |queue, timed| {
            let map = || queue.map(&storage.mem, access, offset, bytes, timed);
            let (mapped, event) = storage.gpu.waiting(map)?;
            map_timed = timed;
            range = Some(mapped);
            Ok(event)
        })?;
        let mut range = range.expect("a map that did not fail has a range");
        storage.address.set(Some(range.address() - offset));
        let result = f(&mut range)?;
        // On the queue that it was mapped on.
        storage.command_timed(section, "unmap", 0, Some(map_timed), |_, timed| range.unmap(timed))?;
        Ok(result)
    }

    fn elements<'a>(&self, bytes: &'a [u8]) -> Result<&'a [T]> {
        bytemuck::try_cast_slice(bytes).map_err(|_| self.unaligned())
    }

    fn elements_mut<'a>(&self, bytes: &'a mut [u8]) -> Result<&'a mut [T]> {
        bytemuck::try_cast_slice_mut(bytes).map_err(|_| self.unaligned())
    }

    fn unaligned(&self) -> Error {
        Error::new(format!("the OpenCL runtime gave unaligned memory for buffer `{}`", self.name()))
    }

    /// Sets the elements from `offset` on.
    ///
    /// # Errors
    /// As for [`view`](Self::view).
    pub fn write(&self, section: Section, offset: usize, data: &[T]) -> Result<()> {
        let end = offset.saturating_add(data.len());
        self.fill(section, offset..end, |slice| slice.copy_from_slice(data))
    }

    /// A copy of `range` of the elements.
    ///
    /// # Errors
    /// As for [`view`](Self::view).
    pub fn read(&self, section: Section, range: Range<usize>) -> Result<Vec<T>> {
        self.view(section, range, <[T]>::to_vec)
    }

    /// The same of what each rank's device has made of the same numbers. Where these are devices of different kinds, rank 0's hold for all, as what
    /// the host decides by must have the same bits on all ranks. To be asked for by all of them at once.
    ///
    /// # Errors
    /// As for [`view`](Self::view).
    pub fn read_agreed(&self, section: Section, range: Range<usize>) -> Result<Vec<T>> {
        let mut numbers = self.read(section, range)?;
        if self.storage.gpu.is_among_others() {
            ranks::follow_first(bytemuck::cast_slice_mut(&mut numbers));
        }
        Ok(numbers)
    }

    /// Enqueues zeros over `range`, and does not wait.
    ///
    /// # Errors
    /// A range outside the buffer, or a device that failed.
    pub fn clear(&self, section: Section, range: Range<usize>) -> Result<()> {
        let (offset, bytes) = self.storage.span(&range, self.len, size_of::<T>())?;
        if bytes == 0 {
            return Ok(());
        }
        let storage = &self.storage;
        storage.free_for_commands()?;
        storage.command(section, "clear", 0, |queue, timed| queue.clear(&storage.mem, offset, bytes, timed))
    }

    /// Enqueues a copy of `src_range` of `src` to `dst_offset` on, inside the device, and does not wait.
    ///
    /// # Errors
    /// Ranges outside the buffers, that overlap in one buffer, or a device that failed.
    pub fn copy_from(
        &self,
        section: Section,
        src: &Buffer<T>,
        src_range: Range<usize>,
        dst_offset: usize,
    ) -> Result<()> {
        let (src_offset, bytes) = src.storage.span(&src_range, src.len, size_of::<T>())?;
        let dst_range = dst_offset..dst_offset.saturating_add(src_range.len());
        let (dst_offset, _) = self.storage.span(&dst_range, self.len, size_of::<T>())?;
        if bytes == 0 {
            return Ok(());
        }
        let storage = &self.storage;
        storage.free_for_commands()?;
        src.storage.free_for_commands()?;
        storage.command(section, "copy", 0, |queue, timed| {
            let (from, to) = ((&src.storage.mem, src_offset), (&storage.mem, dst_offset));
            queue.copy(from, to, bytes, timed)
        })
    }
}

impl Gpu {
    /// Oclgrind 21.10 takes what the host wrote last for the whole buffer, and a fill for nothing, when it looks
    /// for uninitialised values. So it is shown every byte of a buffer that the host has touched: all of
    /// them have been set since the buffer was made.
    pub(super) fn tell_simulator(&self, mem: &Mem, bytes: u64) -> ClResult<()> {
        if !self.info().is_simulator {
            return Ok(());
        }
        let mut contents = vec![0; bytes as usize];
        self.0.queues.last().read(mem, 0, &mut contents, false)?;
        self.0.queues.last().write(mem, 0, &contents, false)?;
        Ok(())
    }

    fn take_staging(&self, bytes: usize) -> Staging {
        Staging::new(&self.0.staging, bytes, &self.0.context, self.0.queues.last())
    }

    fn keep_staging(&self, staging: Staging) {
        if let Some(pinned) = staging.into_pinned() {
            self.0.staging.set(Some(pinned));
        }
    }
}
