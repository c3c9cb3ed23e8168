//! OpenCL objects as owned handles, and the calls on them.
//!
//! The calls go through `ocl::core::ffi` and not through `ocl::core`'s functions, because those panic on a
//! status that they do not know (NVIDIA's -9999), wait for seconds where there is no platform, and cannot
//! hold more than 16 devices. Everything here returns a [`Failure`](super::status::Failure) instead.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ocl::core::ffi::{
    self, CL_CONTEXT_PLATFORM, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_MAP_READ, CL_MAP_WRITE,
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_START, CL_QUEUE_PROFILING_ENABLE, CL_TRUE,
};

use super::status::{ClResult, Failure, check};

/// An owned OpenCL object: released when dropped.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident, $release:ident) => {
        $(#[$doc])*
        pub(super) struct $name(pub(super) *mut c_void);

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the handle came from a call that succeeded, is owned by this value alone, and is
                // released once. OpenCL keeps the object alive until the queued commands on it have ended.
                unsafe { ffi::$release(self.0) };
            }
        }
    };
}
pub(super) use handle;

handle!(/// A context of one device.
    Context, clReleaseContext);
handle!(/// An in-order command queue.
    Queue, clReleaseCommandQueue);
handle!(/// A buffer.
    Mem, clReleaseMemObject);
handle!(/// A command's completion.
    Event, clReleaseEvent);

/// A platform; lives as long as the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Platform(pub(super) *mut c_void);

/// A root device; lives as long as the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Device(pub(super) *mut c_void);

/// Reads a property of unknown size: `get(size, value, size_ret)`.
pub(super) fn property(
    call: &'static str,
    get: impl Fn(usize, *mut c_void, *mut usize) -> i32,
) -> ClResult<Vec<u8>> {
    let mut size = 0;
    check(call, get(0, null_mut(), &mut size))?;
    let mut bytes = vec![0_u8; size];
    if size > 0 {
        check(call, get(size, bytes.as_mut_ptr().cast(), null_mut()))?;
    }
    Ok(bytes)
}

/// A property that is text: without the closing zero and blanks around it.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

/// A property that is an unsigned integer of 4 or 8 bytes.
pub(super) fn integer(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        4 => bytes.try_into().ok().map(u32::from_ne_bytes).map(u64::from),
        8 => bytes.try_into().ok().map(u64::from_ne_bytes),
        _ => None,
    }
}

/// The platforms, in the loader's order (that of `clinfo -l`). No loader entry at all is an empty list.
pub(super) fn platforms() -> ClResult<Vec<Platform>> {
    const NOT_FOUND: i32 = -1001;
    let mut count = 0;
    // SAFETY: with no entries asked for, only the count is written.
    let code = unsafe { ffi::clGetPlatformIDs(0, null_mut(), &mut count) };
    if code == NOT_FOUND {
        return Ok(Vec::new());
    }
    check("clGetPlatformIDs", code)?;
    let mut ids = vec![null_mut(); count as usize];
    if count > 0 {
        // SAFETY: `ids` has room for the `count` handles asked for.
        check("clGetPlatformIDs", unsafe { ffi::clGetPlatformIDs(count, ids.as_mut_ptr(), null_mut()) })?;
    }
    Ok(ids.into_iter().map(Platform).collect())
}

impl Platform {
    /// A property that is text.
    pub(super) fn text(self, what: u32) -> ClResult<String> {
        // SAFETY: the platform is valid, and `property` gives a buffer of the size it names.
        let get =
            |size, value, size_ret| unsafe { ffi::clGetPlatformInfo(self.0, what, size, value, size_ret) };
        property("clGetPlatformInfo", get).map(|bytes| text(&bytes))
    }

    /// Its devices; a platform without any has an empty list.
    pub(super) fn devices(self) -> ClResult<Vec<Device>> {
        const NOT_FOUND: i32 = -1;
        const ALL: u64 = 0xFFFF_FFFF;
        let mut count = 0;
        // SAFETY: the platform is valid; with no entries asked for, only the count is written.
        let code = unsafe { ffi::clGetDeviceIDs(self.0, ALL, 0, null_mut(), &mut count) };
        if code == NOT_FOUND || count == 0 {
            return Ok(Vec::new());
        }
        check("clGetDeviceIDs", code)?;
        let mut ids = vec![null_mut(); count as usize];
        // SAFETY: `ids` has room for the `count` handles asked for.
        check("clGetDeviceIDs", unsafe {
            ffi::clGetDeviceIDs(self.0, ALL, count, ids.as_mut_ptr(), null_mut())
        })?;
        Ok(ids.into_iter().map(Device).collect())
    }
}

impl Device {
    /// A property as bytes.
    pub(super) fn property(self, what: u32) -> ClResult<Vec<u8>> {
        // SAFETY: the device is valid, and `property` gives a buffer of the size it names.
        let get =
            |size, value, size_ret| unsafe { ffi::clGetDeviceInfo(self.0, what, size, value, size_ret) };
        property("clGetDeviceInfo", get)
    }

    /// A property that is text; empty where the device does not know it.
    pub(super) fn text(self, what: u32) -> String {
        self.property(what).map(|bytes| text(&bytes)).unwrap_or_default()
    }

    /// A property that is an unsigned integer; `None` where the device does not know it.
    pub(super) fn integer(self, what: u32) -> Option<u64> {
        integer(&self.property(what).ok()?)
    }
}

impl Context {
    /// A context of one device.
    pub(super) fn new(platform: Platform, device: Device) -> ClResult<Self> {
        let properties = [CL_CONTEXT_PLATFORM as isize, platform.0 as isize, 0];
        let mut code = 0;
        // SAFETY: the property list ends with 0, the device belongs to the platform, there is no callback.
        let raw =
            unsafe { ffi::clCreateContext(properties.as_ptr(), 1, &device.0, None, null_mut(), &mut code) };
        check("clCreateContext", code)?;
        Ok(Context(raw))
    }
}

impl Mem {
    /// A buffer of `bytes` bytes (more than 0), contents undefined.
    pub(super) fn new(context: &Context, flags: u64, bytes: usize) -> ClResult<Self> {
        let mut code = 0;
        // SAFETY: the context is valid and no host pointer is handed over.
        let raw = unsafe { ffi::clCreateBuffer(context.0, flags, bytes, null_mut(), &mut code) };
        check("clCreateBuffer", code)?;
        Ok(Mem(raw))
    }
}

impl Clone for Event {
    fn clone(&self) -> Self {
        // SAFETY: a valid event, owned once more: the copy's drop releases it once more.
        unsafe { ffi::clRetainEvent(self.0) };
        Event(self.0)
    }
}

impl Event {
    /// Waits until the command has ended; its failure is the result.
    pub(super) fn wait(&self) -> ClResult<()> {
        // SAFETY: a list of one valid event.
        check("clWaitForEvents", unsafe { ffi::clWaitForEvents(1, &self.0) })
    }

    /// Whether the command has ended. Its failure is an error.
    pub(super) fn ended(&self) -> ClResult<bool> {
        let mut state = 0_i32;
        // SAFETY: the event is valid and the property is a cl_int.
        check("clGetEventInfo", unsafe {
            ffi::clGetEventInfo(
                self.0,
                CL_EVENT_COMMAND_EXECUTION_STATUS,
                size_of::<i32>(),
                (&raw mut state).cast(),
                null_mut(),
            )
        })?;
        check("a queued command", state)?;
        Ok(state == 0)
    }

    /// Device seconds from the command's start to its end; for a command that has ended.
    pub(super) fn seconds(&self) -> ClResult<f64> {
        let stamp = |what| {
            let mut nanoseconds = 0_u64;
            // SAFETY: the event is valid and the property is a cl_ulong.
            check("clGetEventProfilingInfo", unsafe {
                ffi::clGetEventProfilingInfo(
                    self.0,
                    what,
                    size_of::<u64>(),
                    (&raw mut nanoseconds).cast(),
                    null_mut(),
                )
            })?;
            Ok::<u64, Failure>(nanoseconds)
        };
        let (start, end) = (stamp(CL_PROFILING_COMMAND_START)?, stamp(CL_PROFILING_COMMAND_END)?);
        Ok(end.saturating_sub(start) as f64 * 1e-9)
    }
}

/// Runs an enqueue call with a place for its event, or with none.
fn enqueue(
    call: &'static str,
    timed: bool,
    run: impl FnOnce(*mut *mut c_void) -> i32,
) -> ClResult<Option<Event>> {
    let mut raw: *mut c_void = null_mut();
    check(call, run(if timed { &mut raw } else { null_mut() }))?;
    Ok((!raw.is_null()).then_some(Event(raw)))
}

/// Which way the host uses a mapped range.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// The host looks.
    Read,
    /// The host changes it.
    Write,
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
        enqueue("clEnqueueReadBuffer", timed, |event| {
            // SAFETY: the call blocks, so `out` outlives the copy; its length is the size passed.
            unsafe {
                ffi::clEnqueueReadBuffer(
                    self.0,
                    mem.0,
                    CL_TRUE,
                    offset,
                    out.len(),
                    out.as_mut_ptr().cast(),
                    0,
                    null(),
                    event,
                )
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
        unsafe { self.write_from(mem, offset, data, true, timed) }
    }

    /// Enqueues a copy of `data` to the device.
    ///
    /// # Safety
    /// `data` stays in place and unchanged until the copy has ended.
    pub(super) unsafe fn write_later(
        &self,
        mem: &Mem,
        offset: usize,
        data: &[u8],
    ) -> ClResult<Option<Event>> {
        // SAFETY: the caller's promise.
        unsafe { self.write_from(mem, offset, data, false, true) }
    }

    /// # Safety
    /// `data` stays in place and unchanged until the copy has ended, which it has at the return if `blocking`.
    unsafe fn write_from(
        &self,
        mem: &Mem,
        offset: usize,
        data: &[u8],
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
                    data.len(),
                    data.as_ptr().cast(),
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
        // CL_MAP_WRITE_INVALIDATE_REGION would leave the contents undefined; nothing is copied either way.
        let flags = if access == Access::Write { CL_MAP_READ | CL_MAP_WRITE } else { CL_MAP_READ };
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

    /// The bytes, to be changed; for a range mapped with [`Access::Write`].
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
