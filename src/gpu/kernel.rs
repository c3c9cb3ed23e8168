//! Kernels, their arguments and their launches.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use bytemuck::bytes_of;

use super::buffer::{Buffer, DeviceMemory};
use super::compile::ClKernel;
use super::device::Gpu;
use super::program::{Launch, Program, ProgramText};
use super::status::Failure;
use crate::base::error::{Error, Result};
use crate::gpu::record::Section;

/// One argument of a kernel.
#[derive(Clone, Copy)]
pub enum Arg<'a> {
    /// A `__global` or `__constant` pointer.
    Mem(&'a dyn DeviceMemory),
    /// An `int`.
    I32(i32),
    /// A `uint`.
    U32(u32),
    /// A `long`.
    I64(i64),
    /// A `ulong`.
    U64(u64),
    /// A `float`.
    F32(f32),
    /// A `double`.
    F64(f64),
    /// A `__local` pointer to so many bytes.
    Local(usize),
    /// An `int4`.
    I32x4([i32; 4]),
    /// A `float4`.
    F32x4([f32; 4]),
    /// A `double4`.
    F64x4([f64; 4]),
    /// A struct, as the device lays it out.
    Struct(&'a [u8]),
}

impl<'a, T> From<&'a Buffer<T>> for Arg<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        Arg::Mem(buffer)
    }
}

macro_rules! arg_from {
    ($($from:ty => $variant:ident),*) => {$(
        impl From<$from> for Arg<'_> {
            fn from(value: $from) -> Self {
                Arg::$variant(value)
            }
        }
    )*};
}
arg_from!(i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64,
    [i32; 4] => I32x4, [f32; 4] => F32x4, [f64; 4] => F64x4);

/// What an argument is set to, for comparing.
#[derive(Clone, Copy, PartialEq)]
enum Setting {
    Unset,
    /// The number of a buffer; a handle could come back for another one.
    Mem(u64),
    Local(usize),
    Value([u8; 32], usize),
}

/// A kernel with its arguments as they were last set.
pub struct Kernel {
    gpu: Gpu,
    name: &'static str,
    program: Rc<ProgramText>,
    made: OnceCell<Made>,
}

/// A kernel of a program that is built.
struct Made {
    cl: ClKernel,
    max_work_group: usize,
    settings: RefCell<Vec<Setting>>,
}

impl Kernel {
    pub(super) fn new(program: &Program, name: &'static str) -> Result<Self> {
        let kernel = Kernel {
            gpu: program.gpu.clone(),
            name,
            program: Rc::clone(&program.text),
            made: OnceCell::new(),
        };
        if kernel.program.is_built() {
            kernel.made()?;
        }
        Ok(kernel)
    }

    /// The kernel, for which the program is built when this is first asked for.
    fn made(&self) -> Result<&Made> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let program = self.program.built(&self.gpu)?;
        let failed = |failure: Failure| failure.while_doing(format_args!("make kernel `{}`", self.name));
        let cl = ClKernel::new(program, self.name).map_err(failed)?;
        let arguments = cl.arguments().map_err(failed)?;
        let stated = cl.max_work_group(self.gpu.0.device).map_err(failed)?;
        let max_work_group = self.gpu.info().largest_group(stated);
        let settings = RefCell::new(vec![Setting::Unset; arguments]);
        Ok(self.made.get_or_init(|| Made { cl, max_work_group, settings }))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The largest work-group that it runs with on this device.
    ///
    /// # Errors
    /// A program that does not build, or has no such kernel.
    pub fn max_work_group(&self) -> Result<usize> {
        Ok(self.made()?.max_work_group)
    }

    /// Says that this kernel is about to be launched over so many work-items in groups of `local`, for [`Gpu::compile_ahead`]. It is then
    /// launched once with memory of zeros, no atoms and, where there is an argument of that name, a `step` at which the run has halted: it
    /// must do nothing then.
    pub fn foresee(&self, work_items: usize, local: usize) {
        if work_items > 0 && local > 0 {
            let launch = Launch::new(self.name, work_items.next_multiple_of(local), local);
            self.gpu.0.foreseen.borrow_mut().push((Rc::clone(&self.program), launch));
        }
    }

    /// As [`Kernel::launch`], for kernels whose work-items know nothing of one another: groups of `local`, or of
    /// what fits where this kernel on this device takes only smaller ones.
    ///
    /// # Errors
    /// As [`Kernel::launch`].
    pub fn launch_each(
        &self,
        section: Section,
        work_items: usize,
        local: usize,
        args: &[Arg<'_>],
    ) -> Result<()> {
        self.launch(section, work_items, local.min(self.made()?.max_work_group), args)
    }

    /// Enqueues the kernel over `work_items` work-items, rounded up to whole groups of `local`, and does not
    /// wait. No work-items: nothing is enqueued.
    ///
    /// # Errors
    /// Arguments that do not fit the kernel's in number or size, a group larger than the kernel allows, a
    /// buffer that the host holds a slice of, or a device that failed.
    pub fn launch(&self, section: Section, work_items: usize, local: usize, args: &[Arg<'_>]) -> Result<()> {
        self.launch_as(1, section, work_items, local, args)
    }

    /// As [`Kernel::launch`], where the one launch does the work of several, and counts as so many.
    ///
    /// # Errors
    /// As [`Kernel::launch`].
    pub fn launch_as(
        &self,
        calls: u32,
        section: Section,
        work_items: usize,
        local: usize,
        args: &[Arg<'_>],
    ) -> Result<()> {
        if work_items == 0 {
            return Ok(());
        }
        let Made { cl, max_work_group, .. } = self.made()?;
        if local == 0 || local > *max_work_group {
            return Err(Error::new(format!(
                "kernel `{}` cannot run in groups of {local}; on this device they have 1 to {} work-items",
                self.name, max_work_group
            )));
        }
        self.set(args)?;
        let global = work_items.next_multiple_of(local);
        let launch = || {
            let launched = self.gpu.enqueue(section, self.name, 0, calls, None, |queue, timed| {
                cl.launch(queue, global, local, timed)
            });
            launched.map_err(|failure| failure.while_doing(format_args!("launch kernel `{}`", self.name)))
        };
        match self.compiles(global, local) {
            None => launch(),
            Some(key) => {
                self.gpu.try_to_compile(&self.program, Launch::new(self.name, global, local))?;
                let (_turn, started) = (self.gpu.turn(&key, self.name), Instant::now());
                launch()?;
                self.gpu.finish()?;
                let compiling = &self.gpu.0.compiling;
                compiling.set(compiling.get() + started.elapsed());
                log::debug!("first launch of {} in {:.3} s", self.name, started.elapsed().as_secs_f64());
                Ok(())
            }
        }
    }

    /// Where the launch is the first of its kind, at which PoCL compiles the kernel: what stands for it among processes.
    fn compiles(&self, global: usize, local: usize) -> Option<String> {
        if !self.gpu.info().is_pocl() {
            return None;
        }
        let launch = Launch::new(self.name, global, local);
        let mut launched = self.program.launched.borrow_mut();
        if launched.contains(&launch) {
            return None;
        }
        let key = launch.key(&self.gpu, &self.program);
        launched.insert(launch);
        Some(key)
    }

    /// Sets the arguments that differ from the last launch's.
    fn set(&self, args: &[Arg<'_>]) -> Result<()> {
        let Made { cl, settings, .. } = self.made()?;
        let mut settings = settings.borrow_mut();
        if args.len() != settings.len() {
            return Err(Error::new(format!(
                "kernel `{}` takes {} arguments, {} were given",
                self.name,
                settings.len(),
                args.len()
            )));
        }
        for (index, (arg, last)) in args.iter().zip(settings.iter_mut()).enumerate() {
            let setting = self.setting(arg)?;
            if setting == *last && setting != Setting::Unset {
                continue;
            }
            *last = Setting::Unset;
            let set = match (arg, setting) {
                (Arg::Struct(bytes), _) => cl.set(index, bytes),
                (Arg::Mem(memory), _) => cl.set(index, bytes_of(&(memory.storage().mem.0 as usize))),
                (_, Setting::Local(bytes)) => cl.set_local(index, bytes),
                (_, Setting::Value(bytes, len)) => cl.set(index, &bytes[..len]),
                (_, Setting::Unset | Setting::Mem(_)) => Ok(()),
            };
            set.map_err(|failure| {
                failure.while_doing(format_args!("set argument {index} of kernel `{}`", self.name))
            })?;
            *last = setting;
        }
        Ok(())
    }

    fn setting(&self, arg: &Arg<'_>) -> Result<Setting> {
        let value = |bytes: &[u8]| {
            let mut padded = [0; 32];
            padded[..bytes.len()].copy_from_slice(bytes);
            Setting::Value(padded, bytes.len())
        };
        Ok(match arg {
            Arg::Mem(memory) => {
                let storage = memory.storage();
                if !Rc::ptr_eq(&storage.gpu.0, &self.gpu.0) {
                    return Err(Error::new(format!(
                        "buffer `{}` belongs to another device than kernel `{}`",
                        storage.name, self.name
                    )));
                }
                storage.free_for_commands()?;
                Setting::Mem(storage.id)
            }
            Arg::Local(bytes) => Setting::Local(*bytes),
            Arg::I32(x) => value(bytes_of(x)),
            Arg::U32(x) => value(bytes_of(x)),
            Arg::I64(x) => value(bytes_of(x)),
            Arg::U64(x) => value(bytes_of(x)),
            Arg::F32(x) => value(bytes_of(x)),
            Arg::F64(x) => value(bytes_of(x)),
            Arg::I32x4(x) => value(bytes_of(x)),
            Arg::F32x4(x) => value(bytes_of(x)),
            Arg::F64x4(x) => value(bytes_of(x)),
            // Set each time.
            Arg::Struct(_) => Setting::Unset,
        })
    }
}
