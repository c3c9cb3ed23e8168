//! OpenCL status codes in words.

use std::fmt::Display;

use crate::base::error::Error;

/// A call that came back with a status other than CL_SUCCESS.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    /// The OpenCL function.
    pub(super) call: &'static str,
    /// Its status.
    pub(super) code: i32,
}

/// What the calls of this layer return.
pub(super) type ClResult<T> = Result<T, Failure>;

/// `Ok` for CL_SUCCESS (and for the positive execution states of events).
pub(super) fn check(call: &'static str, code: i32) -> ClResult<()> {
    if code < 0 { Err(Failure { call, code }) } else { Ok(()) }
}

impl Failure {
    /// The error, with the words for what was being done: "cannot {doing}: ...".
    pub(super) fn while_doing(self, doing: impl Display) -> Error {
        let error = Error::new(format!("cannot {doing}: {} returned {}", self.call, self.name()));
        match remedy(self.code) {
            Some(help) => error.help(help),
            None => error,
        }
    }

    /// The name of the status and its number.
    pub(super) fn name(self) -> String {
        format!("{} ({})", name(self.code), self.code)
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.while_doing("use the OpenCL device")
    }
}

/// Names from cl.h and cl_ext.h (Khronos OpenCL-Headers); -9999 is NVIDIA's own.
fn name(code: i32) -> &'static str {
    match code {
        0 => "CL_SUCCESS",
        -1 => "CL_DEVICE_NOT_FOUND",
        -2 => "CL_DEVICE_NOT_AVAILABLE",
        -3 => "CL_COMPILER_NOT_AVAILABLE",
        -4 => "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        -5 => "CL_OUT_OF_RESOURCES",
        -6 => "CL_OUT_OF_HOST_MEMORY",
        -7 => "CL_PROFILING_INFO_NOT_AVAILABLE",
        -8 => "CL_MEM_COPY_OVERLAP",
        -11 => "CL_BUILD_PROGRAM_FAILURE",
        -12 => "CL_MAP_FAILURE",
        -13 => "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        -14 => "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        -19 => "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
        -30 => "CL_INVALID_VALUE",
        -31 => "CL_INVALID_DEVICE_TYPE",
        -32 => "CL_INVALID_PLATFORM",
        -33 => "CL_INVALID_DEVICE",
        -34 => "CL_INVALID_CONTEXT",
        -35 => "CL_INVALID_QUEUE_PROPERTIES",
        -36 => "CL_INVALID_COMMAND_QUEUE",
        -37 => "CL_INVALID_HOST_PTR",
        -38 => "CL_INVALID_MEM_OBJECT",
        -42 => "CL_INVALID_BINARY",
        -43 => "CL_INVALID_BUILD_OPTIONS",
        -44 => "CL_INVALID_PROGRAM",
        -45 => "CL_INVALID_PROGRAM_EXECUTABLE",
        -46 => "CL_INVALID_KERNEL_NAME",
        -47 => "CL_INVALID_KERNEL_DEFINITION",
        -48 => "CL_INVALID_KERNEL",
        -49 => "CL_INVALID_ARG_INDEX",
        -50 => "CL_INVALID_ARG_VALUE",
        -51 => "CL_INVALID_ARG_SIZE",
        -52 => "CL_INVALID_KERNEL_ARGS",
        -53 => "CL_INVALID_WORK_DIMENSION",
        -54 => "CL_INVALID_WORK_GROUP_SIZE",
        -55 => "CL_INVALID_WORK_ITEM_SIZE",
        -56 => "CL_INVALID_GLOBAL_OFFSET",
        -57 => "CL_INVALID_EVENT_WAIT_LIST",
        -58 => "CL_INVALID_EVENT",
        -59 => "CL_INVALID_OPERATION",
        -61 => "CL_INVALID_BUFFER_SIZE",
        -63 => "CL_INVALID_GLOBAL_WORK_SIZE",
        -64 => "CL_INVALID_PROPERTY",
        -1001 => "CL_PLATFORM_NOT_FOUND_KHR",
        -9999 => "illegal read or write by a kernel (NVIDIA)",
        _ => "an unknown status",
    }
}

fn remedy(code: i32) -> Option<&'static str> {
    match code {
        -2 => Some("the device is in use or has failed; see its driver's messages (dmesg)"),
        -4 | -6 => Some("the memory is used up: a smaller system, or a device with more memory"),
        -5 => Some("the device ran out of registers or memory, or a kernel before this call failed"),
        -9999 => Some("this is a mistake in a kernel; please report it with the script"),
        _ => None,
    }
}
