//! The command queue: every command that reaches the device, and the mapping of its memory.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ocl::core::ffi::{
    self, CL_MAP_READ, CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_QUEUE_PROFILING_ENABLE, CL_TRUE,
};

use super::cl::{Context, Device, Event, Mem, handle};
use super::status::{ClResult, check};

handle!(/// An in-order command queue.
    Queue, clReleaseCommandQueue);

/// Runs an enqueue call with a place for its event, or with none.
fn enqueue(
    call: &'static str,
    timed: bool,
    run: impl FnOnce(*mut *mut c_void) -> i32,
) -> ClResult<Option<Event>> {
    let mut raw: *mut c_void = null_mut();
    check(call, run(if timed { &mut raw } else { null_mut() }))?;
    // Not `then_some`, which would make and release an event of nothing.
    Ok((!raw.is_null()).then(|| Event(raw)))
}

/// Which way the host uses a mapped range.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// The host looks.
    Read,
    /// The host changes it.
    Write,
    /// The host sets all of it, and does not look at what was there.
    Overwrite,
}

/// A range of a buffer that the host can reach, until it is unmapped.
pub(super) struct Mapped<'a> {
    queue: &'a Queue,
    mem: &'a Mem,
    pointer: *mut u8,
    len: usize,
    open: bool,
}

impl Queue {
    /// An in-order queue; only with `profiling` do its events carry times.
    pub(super) fn new(context: &Context, device: Device, profiling: bool) -> ClResult<Self> {
        let properties = if profiling { CL_QUEUE_PROFILING_ENABLE } else { 0 };
        let mut code = 0;
        // SAFETY: the context is valid and holds the device.
        let raw = unsafe { ffi::clCreateCommandQueue(context.0, device.0, properties, &mut code) };
        check("clCreateCommandQueue", code)?;
        Ok(Queue(raw))
    }

    /// Waits for everything enqueued so far.
    pub(super) fn finish(&self) -> ClResult<()> {
        // SAFETY: the queue is valid.
        check("clFinish", unsafe { ffi::clFinish(self.0) })
    }

    /// Hands everything enqueued so far to the device.
    pub(super) fn flush(&self) -> ClResult<()> {
        // SAFETY: the queue is valid.
        check("clFlush", unsafe { ffi::clFlush(self.0) })
    }

    /// An event for the end of everything enqueued so far.
    pub(super) fn marker(&self) -> ClResult<Event> {
        let mut raw: *mut c_void = null_mut();
        // SAFETY: the queue is valid, and no events are waited for.
        let code = unsafe { ffi::clEnqueueMarkerWithWaitList(self.0, 0, null(), &mut raw) };
        check("clEnqueueMarkerWithWaitList", code)?;
        Ok(Event(raw))
    }

    /// Has what is enqueued later wait for an event of another queue.
    pub(super) fn wait_for(&self, event: &Event) -> ClResult<()> {
        // SAFETY: the queue is valid, and so is the list of one event, which the runtime keeps alive.
        let code = unsafe { ffi::clEnqueueBarrierWithWaitList(self.0, 1, &event.0, null_mut()) };
        check("clEnqueueBarrierWithWaitList", code)
    }

    /// Enqueues zeros over `bytes` bytes from `offset`.
    pub(super) fn clear(
        &self,
        mem: &Mem,
        offset: usize,
        bytes: usize,
        timed: bool,
    ) -> ClResult<Option<Event>> {
        // The widest pattern that fits: some runtimes fill byte by byte otherwise.
        let pattern = [0_u64; 2];
        let width = [16, 8, 4, 2].into_iter().find(|w| (offset | bytes).is_multiple_of(*w)).unwrap_or(1);
        enqueue("clEnqueueFillBuffer", timed, |event| {
            // SAFETY: the pattern is read before the call returns and has at least `width` bytes; `width`
            // divides offset and size; a range beyond the buffer is refused by the call.
            unsafe {
                ffi::clEnqueueFillBuffer(
                    self.0,
                    mem.0,
                    pattern.as_ptr().cast(),
                    width,
                    offset,
                    bytes,
                    0,
                    null(),
                    event,
                )
            }
        })
    }

    /// Enqueues a copy of `bytes` bytes between two buffers (or disjoint ranges of one).
    pub(super) fn copy(
        &self,
        from: (&Mem, usize),
        to: (&Mem, usize),
        bytes: usize,
        timed: bool,
    ) -> ClResult<Option<Event>> {
        enqueue("clEnqueueCopyBuffer", timed, |event| {
            // SAFETY: both buffers are valid; ranges beyond them, or that overlap, are refused by the call.
            unsafe {
                ffi::clEnqueueCopyBuffer(self.0, from.0.0, to.0.0, from.1, to.1, bytes, 0, null(), event)
            }
        })
    }

    /// Copies from the device into `out`, and waits.
    pub(super) fn read(
        &self,
        mem: &Mem,
        offset: usize,
        out: &mut [u8],
        timed: bool,
    ) -> ClResult<Option<Event>> {
        // SAFETY: `out` has its length, and nobody else looks at it.
        unsafe { self.read_to(mem, offset, out.as_mut_ptr(), out.len(), timed) }
    }

    /// Copies so many bytes from the device to an address, and waits.
    ///
    /// # Safety
    /// There is memory for them, which nobody else uses until the return.
    pub(super) unsafe fn read_to(
        &self,
        mem: &Mem,
        offset: usize,
        to: *mut u8,
        bytes: usize,
        timed: bool,
    ) -> ClResult<Option<Event>> {
        enqueue("clEnqueueReadBuffer", timed, |event| {
            // SAFETY: the call blocks; the rest is the caller's promise.
            unsafe {
                ffi::clEnqueueReadBuffer(self.0, mem.0, CL_TRUE, offset, bytes, to.cast(), 0, null(), event)
            }
        })
    }

    /// Copies `data` to the device, and waits.
    pub(super) fn write(
        &self,
        mem: &Mem,
        offset: usize,
        data: &[u8],
        timed: bool,
    ) -> ClResult<Option<Event>> {
        // SAFETY: blocking, so `data` outlives the copy.
        unsafe { self.write_from(mem, offset, data.as_ptr(), data.len(), true, timed) }
    }

    /// Enqueues a copy of so many bytes from `data` on to the device.
    ///
    /// # Safety
    /// They stay in place and unchanged until the copy has ended.
    pub(super) unsafe fn write_later(
        &self,
        mem: &Mem,
        offset: usize,
        data: *const u8,
        bytes: usize,
    ) -> ClResult<Option<Event>> {
        // SAFETY: the caller's promise.
        unsafe { self.write_from(mem, offset, data, bytes, false, true) }
    }

    /// # Safety
    /// The bytes stay in place and unchanged until the copy has ended, which it has at the return if `blocking`.
    unsafe fn write_from(
        &self,
        mem: &Mem,
        offset: usize,
        data: *const u8,
        bytes: usize,
        blocking: bool,
        timed: bool,
    ) -> ClResult<Option<Event>> {
        enqueue("clEnqueueWriteBuffer", timed, |event| {
            // SAFETY: the caller's promise; a range beyond the buffer is refused by the call.
            unsafe {
                ffi::clEnqueueWriteBuffer(
                    self.0,
                    mem.0,
                    blocking.into(),
                    offset,
                    bytes,
                    data.cast(),
                    0,
                    null(),
                    event,
                )
            }
        })
    }

    /// Maps a range for the host, after all that was enqueued before.
    pub(super) fn map<'a>(
        &'a self,
        mem: &'a Mem,
        access: Access,
        offset: usize,
        bytes: usize,
        timed: bool,
    ) -> ClResult<(Mapped<'a>, Option<Event>)> {
        let flags = match access {
            Access::Read => CL_MAP_READ,
            Access::Write => CL_MAP_READ | CL_MAP_WRITE,
            Access::Overwrite => CL_MAP_WRITE_INVALIDATE_REGION,
        };
        let mut pointer: *mut c_void = null_mut();
        let event = enqueue("clEnqueueMapBuffer", timed, |event| {
            let mut code = 0;
            // SAFETY: the buffer is valid; a range beyond it is refused; the call blocks until the host may
            // use the range.
            pointer = unsafe {
                ffi::clEnqueueMapBuffer(
                    self.0,
                    mem.0,
                    CL_TRUE,
                    flags,
                    offset,
                    bytes,
                    0,
                    null(),
                    event,
                    &mut code,
                )
            };
            if code == 0 && pointer.is_null() { MAP_FAILURE } else { code }
        })?;
        Ok((Mapped { queue: self, mem, pointer: pointer.cast(), len: bytes, open: true }, event))
    }

    /// Enqueues a kernel over `global` work-items in groups of `local`, which divides it.
    ///
    /// # Safety
    /// All arguments are set, to buffers that are alive, and the kernel stays within them.
    pub(super) unsafe fn launch(
        &self,
        kernel: *mut c_void,
        global: usize,
        local: usize,
        timed: bool,
    ) -> ClResult<Option<Event>> {
        enqueue("clEnqueueNDRangeKernel", timed, |event| {
            // SAFETY: one dimension, so each size is one number; the rest is the caller's promise.
            unsafe {
                ffi::clEnqueueNDRangeKernel(self.0, kernel, 1, null(), &global, &local, 0, null(), event)
            }
        })
    }
}

const MAP_FAILURE: i32 = -12;

impl Mapped<'_> {
    /// Where the range lies in this process.
    pub(super) fn address(&self) -> usize {
        self.pointer as usize
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: mapped for reading, `len` bytes, until `self` is unmapped; nobody changes them meanwhile,
        // since a buffer lends out either slices or itself to commands (`Storage::host` in buffer.rs).
        unsafe { std::slice::from_raw_parts(self.pointer, self.len) }
    }

    /// The bytes, to be changed; for a range mapped with [`Access::Write`] or [`Access::Overwrite`].
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and mapped for writing; `&mut self` makes this the only slice.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.len) }
    }

    /// Leaves the range mapped for the rest of the buffer's life.
    pub(super) fn keep(mut self) -> *mut u8 {
        self.open = false;
        self.pointer
    }

    /// Gives the range back to the device, in queue order.
    pub(super) fn unmap(mut self, timed: bool) -> ClResult<Option<Event>> {
        self.close(timed)
    }

    fn close(&mut self, timed: bool) -> ClResult<Option<Event>> {
        self.open = false;
        enqueue("clEnqueueUnmapMemObject", timed, |event| {
            // SAFETY: the pointer came from mapping this very buffer and is unmapped once.
            unsafe {
                ffi::clEnqueueUnmapMemObject(self.queue.0, self.mem.0, self.pointer.cast(), 0, null(), event)
            }
        })
    }
}

impl Drop for Mapped<'_> {
    fn drop(&mut self) {
        // Only on the way out of a panic in the closure that used the slice.
        if self.open {
            let _ = self.close(false);
        }
    }
}
