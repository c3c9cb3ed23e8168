//! OpenCL objects as owned handles; the command queue is in queue.rs, programs are in compile.rs.
//!
//! The calls go through `ocl::core::ffi` and not through `ocl::core`'s functions, because those panic on a
//! status that they do not know (NVIDIA's -9999), wait for seconds where there is no platform, and cannot
//! hold more than 16 devices. Everything here returns a [`Failure`](super::status::Failure) instead.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::null_mut;

use ocl::core::ffi::{
    self, CL_CONTEXT_PLATFORM, CL_EVENT_COMMAND_EXECUTION_STATUS, CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR,
    CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_START,
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

    /// A buffer of `bytes` bytes of the host's memory.
    ///
    /// # Safety
    /// They stay there as long as the buffer is used.
    pub(super) unsafe fn of_host(context: &Context, bytes: usize, at: *mut u8) -> ClResult<Self> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        let mut code = 0;
        // SAFETY: the context is valid; the rest is the caller's promise.
        let raw = unsafe { ffi::clCreateBuffer(context.0, flags, bytes, at.cast(), &mut code) };
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
