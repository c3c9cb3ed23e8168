//! Program and kernel objects of OpenCL.
#![allow(unsafe_code)]

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};

use ocl::core::ffi::{
    self, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
    CL_KERNEL_ARG_NAME, CL_KERNEL_NUM_ARGS, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    CL_KERNEL_WORK_GROUP_SIZE, CL_PROGRAM_BINARIES, CL_PROGRAM_BINARY_SIZES, CL_PROGRAM_BUILD_LOG,
};

use super::cl::{Context, Device, Event, Mem, handle, integer, property, text};
use super::queue::Queue;
use super::status::{ClResult, Failure, check};

handle!(/// A program of one device.
    ClProgram, clReleaseProgram);
handle!(/// A kernel.
    ClKernel, clReleaseKernel);

const INVALID_VALUE: i32 = -30;

/// Text for a call, which has none with a zero in it.
fn zero_ended(call: &'static str, text: &str) -> ClResult<CString> {
    CString::new(text).map_err(|_| Failure { call, code: INVALID_VALUE })
}

impl ClProgram {
    /// A program from its source, not yet built.
    pub(super) fn from_source(context: &Context, source: &str) -> ClResult<Self> {
        let (pointer, len, mut code) = (source.as_ptr().cast(), source.len(), 0);
        // SAFETY: one string with its length, copied by the call.
        let raw = unsafe { ffi::clCreateProgramWithSource(context.0, 1, &pointer, &len, &mut code) };
        check("clCreateProgramWithSource", code)?;
        Ok(ClProgram(raw))
    }

    /// A program from a binary that [`binary`](Self::binary) returned earlier, not yet built.
    pub(super) fn from_binary(context: &Context, device: Device, binary: &[u8]) -> ClResult<Self> {
        let (pointer, len, mut status, mut code) = (binary.as_ptr(), binary.len(), 0, 0);
        // SAFETY: one device, one length, one binary, one status; the binary is copied by the call.
        let raw = unsafe {
            ffi::clCreateProgramWithBinary(context.0, 1, &device.0, &len, &pointer, &mut status, &mut code)
        };
        check("clCreateProgramWithBinary", code)?;
        let program = ClProgram(raw);
        check("clCreateProgramWithBinary", status)?;
        Ok(program)
    }

    /// Compiles and links.
    pub(super) fn build(&self, device: Device, options: &str) -> ClResult<()> {
        let options = zero_ended("clBuildProgram", options)?;
        // SAFETY: one device, options that end with zero, no callback: the call returns when it is done.
        check("clBuildProgram", unsafe {
            ffi::clBuildProgram(self.0, 1, &device.0, options.as_ptr(), None, null_mut())
        })
    }

    /// Compiles, for [`binary`](Self::binary): without what the runtime has of its own.
    pub(super) fn compile(&self, device: Device, options: &str) -> ClResult<()> {
        let options = zero_ended("clCompileProgram", options)?;
        // SAFETY: one device, options that end with zero, no headers, no callback: the call returns when it is done.
        check("clCompileProgram", unsafe {
            ffi::clCompileProgram(
                self.0,
                1,
                &device.0,
                options.as_ptr(),
                0,
                null(),
                null_mut(),
                None,
                null_mut(),
            )
        })
    }

    /// What the compiler said; empty when it cannot be read.
    pub(super) fn log(&self, device: Device) -> String {
        // SAFETY: program and device are valid, and `property` gives a buffer of the size it names.
        let get = |size, value, size_ret| unsafe {
            ffi::clGetProgramBuildInfo(self.0, device.0, CL_PROGRAM_BUILD_LOG, size, value, size_ret)
        };
        property("clGetProgramBuildInfo", get).map(|bytes| text(&bytes)).unwrap_or_default()
    }

    /// The built program in the device's own form.
    pub(super) fn binary(&self) -> ClResult<Vec<u8>> {
        // SAFETY: the program is valid, and `property` gives a buffer of the size it names.
        let sizes = property("clGetProgramInfo", |size, value, size_ret| unsafe {
            ffi::clGetProgramInfo(self.0, CL_PROGRAM_BINARY_SIZES, size, value, size_ret)
        })?;
        // One device, so one size (a size_t).
        let mut binary = vec![0_u8; integer(&sizes).unwrap_or(0) as usize];
        let pointer = binary.as_mut_ptr();
        // SAFETY: a list of one pointer, to as many bytes as the call before named.
        check("clGetProgramInfo", unsafe {
            ffi::clGetProgramInfo(
                self.0,
                CL_PROGRAM_BINARIES,
                size_of::<*mut u8>(),
                (&raw const pointer).cast_mut().cast(),
                null_mut(),
            )
        })?;
        Ok(binary)
    }
}

impl ClKernel {
    /// A kernel of a program that was built.
    pub(super) fn new(program: &ClProgram, name: &str) -> ClResult<Self> {
        let name = zero_ended("clCreateKernel", name)?;
        let mut code = 0;
        // SAFETY: a valid program and a name that ends with zero.
        let raw = unsafe { ffi::clCreateKernel(program.0, name.as_ptr(), &mut code) };
        check("clCreateKernel", code)?;
        Ok(ClKernel(raw))
    }

    /// How many arguments it takes.
    pub(super) fn arguments(&self) -> ClResult<usize> {
        // SAFETY: the kernel is valid, and `property` gives a buffer of the size it names.
        let bytes = property("clGetKernelInfo", |size, value, size_ret| unsafe {
            ffi::clGetKernelInfo(self.0, CL_KERNEL_NUM_ARGS, size, value, size_ret)
        })?;
        Ok(integer(&bytes).unwrap_or(0) as usize)
    }

    /// The largest work-group on this device.
    pub(super) fn max_work_group(&self, device: Device) -> ClResult<usize> {
        self.work_group(device, CL_KERNEL_WORK_GROUP_SIZE)
    }

    /// The width of the device's vectors of work-items, as far as the compiler tells.
    pub(super) fn preferred_multiple(&self, device: Device) -> ClResult<usize> {
        self.work_group(device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
    }

    fn work_group(&self, device: Device, what: u32) -> ClResult<usize> {
        // SAFETY: kernel and device are valid, and `property` gives a buffer of the size it names.
        let bytes = property("clGetKernelWorkGroupInfo", |size, value, size_ret| unsafe {
            ffi::clGetKernelWorkGroupInfo(self.0, device.0, what, size, value, size_ret)
        })?;
        Ok(integer(&bytes).unwrap_or(0) as usize)
    }

    /// Sets an argument to a value, or to a buffer's handle (as bytes).
    pub(super) fn set(&self, index: usize, value: &[u8]) -> ClResult<()> {
        self.set_raw(index, value.len(), value.as_ptr().cast())
    }

    /// Sets an argument to so many bytes of local memory.
    pub(super) fn set_local(&self, index: usize, bytes: usize) -> ClResult<()> {
        self.set_raw(index, bytes, null())
    }

    /// Sets every argument to nothing: memory to `nothing`, an argument `step` to 1, other numbers to 0.
    pub(super) fn set_to_nothing(&self, nothing: &Mem) -> ClResult<()> {
        const WIDTHS: [usize; 5] = [4, 8, 16, 32, 2];
        for index in 0..self.arguments()? {
            let space =
                integer(&self.argument_info(index, CL_KERNEL_ARG_ADDRESS_QUALIFIER)?).unwrap_or(0) as u32;
            match space {
                CL_KERNEL_ARG_ADDRESS_LOCAL => self.set_local(index, 1 << 10)?,
                CL_KERNEL_ARG_ADDRESS_PRIVATE => {
                    let name = text(&self.argument_info(index, CL_KERNEL_ARG_NAME)?);
                    let mut value = [0; 32];
                    value[0] = u8::from(name == "step");
                    // The call refuses all sizes but that of the argument.
                    let tried = WIDTHS.iter().map(|&width| self.set(index, &value[..width]));
                    tried.reduce(Result::or).unwrap_or(Ok(()))?;
                }
                _ => self.set(index, &(nothing.0 as usize).to_ne_bytes())?,
            }
        }
        Ok(())
    }

    fn argument_info(&self, index: usize, what: u32) -> ClResult<Vec<u8>> {
        // SAFETY: the kernel is valid, an index beyond its arguments is refused, and `property` gives a buffer of the size it names.
        property("clGetKernelArgInfo", |size, value, size_ret| unsafe {
            ffi::clGetKernelArgInfo(self.0, index as u32, what, size, value, size_ret)
        })
    }

    fn set_raw(&self, index: usize, size: usize, value: *const c_void) -> ClResult<()> {
        // SAFETY: `value` is null or points to `size` bytes, which the call copies; it compares the size and
        // the index with the kernel's own. The handle is not shared between threads (`Gpu` is not Send).
        check("clSetKernelArg", unsafe { ffi::clSetKernelArg(self.0, index as u32, size, value) })
    }

    /// Enqueues it; see [`Queue::launch`].
    pub(super) fn launch(
        &self,
        queue: &Queue,
        global: usize,
        local: usize,
        timed: bool,
    ) -> ClResult<Option<Event>> {
        // SAFETY: `Kernel::launch` has set every argument, from buffers that its caller borrows. That a
        // kernel stays inside its buffers cannot be checked here: the .cl files answer for it, and the
        // tests under Oclgrind look.
        unsafe { queue.launch(self.0, global, local, timed) }
    }
}
