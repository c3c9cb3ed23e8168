//! One open device: its context, its queue, its memory, its records.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use bytemuck::Pod;
use ocl::core::ffi::CL_MEM_ALLOC_HOST_PTR;

use super::ahead::Helpers;
use super::buffer::Buffer;
use super::cl::{Context, Device, Event, Mem};
use super::compile::{ClKernel, ClProgram};
use super::profile::{Draft, Recorder};
use super::program::{Launch, ProgramText};
use super::queue::Queue;
use super::queues::Queues;
use super::select::{DeviceInfo, DeviceKind, Found, RankDevice, choose_for_rank, discover};
use super::staging::Pinned;
use super::status::{ClResult, Failure};
use super::window::SharedWindow;
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::ranks;
use crate::gpu::options::TimingMode;
use crate::gpu::record::{HOST, HOST_BESIDE, KernelRecord, Section};

/// Bytes from which on the host is asked what it has.
const MUCH: u64 = 1 << 26;

/// CL_MEM_USE_PERSISTENT_MEM_AMD of AMD's cl_ext.h: device memory that the host reaches directly.
const USE_PERSISTENT_MEM_AMD: u64 = 1 << 6;

/// The device that this process has opened first.
static OPENED: OnceLock<String> = OnceLock::new();

/// The name of the device that this process has opened first, for messages.
pub fn opened() -> Option<&'static str> {
    OPENED.get().map(String::as_str)
}

/// A device with a context and one order of commands (queues.rs). Cheap to clone; all clones are the same device.
#[derive(Clone)]
pub struct Gpu(pub(super) Rc<Inner>);

/// What the clones of a [`Gpu`] share.
pub(super) struct Inner {
    pub(super) device: Device,
    /// [`Gpu::direct`], once it was asked for, and what it takes to open it.
    direct: OnceCell<Option<Gpu>>,
    unopened: Option<Box<Found>>,
    pub(super) context: Context,
    pub(super) queues: Queues,
    pub(super) info: DeviceInfo,
    position: (usize, usize),
    /// Where ranks have devices of different kinds, what these have in common.
    common: OnceCell<(DeviceInfo, Vec<usize>)>,
    /// Extra flag of buffers on unified devices; 0 on discrete ones.
    pub(super) host_flag: u64,
    pub(super) staging: Cell<Option<Pinned>>,
    /// The window of this process, as the device copies from and to it.
    pub(super) window: RefCell<Option<Rc<SharedWindow>>>,
    /// Programs built so far, by source and options: a run asks for some of them several times.
    pub(super) programs: RefCell<HashMap<(String, String), Rc<ProgramText>>>,
    /// Those that may be yet to be built.
    pub(super) unbuilt: RefCell<Vec<Weak<ProgramText>>>,
    /// Launches that are about to come, in their order.
    pub(super) foreseen: RefCell<Vec<(Rc<ProgramText>, Launch)>>,
    pub(super) helpers: Helpers,
    /// How long this process has compiled.
    pub(super) compiling: Cell<Duration>,
    /// Whether PoCL gives no bitcode, or it cannot be kept.
    pub(super) lacks_bitcode: Cell<bool>,
    recorder: RefCell<Recorder>,
    /// How long the host has waited for the device, or done what is booked already.
    waited: Cell<Duration>,
    allocated: Cell<u64>,
    peak: Cell<u64>,
    buffers: Cell<u64>,
}

/// Variables of the environment that say which devices a process sees, by number.
const SHOWN: [&str; 5] = [
    "CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",
    "ZE_AFFINITY_MASK",
];

impl Gpu {
    /// Opens a device. `selector` is `gpu`, `cpu`, an index into [`devices`](super::devices),
    /// PLATFORM:DEVICE, or part of a name in any case; `None` asks CLAMPS_DEVICE, and without that takes the
    /// best GPU, else the best CPU.
    ///
    /// # Errors
    /// No platform, no such device (lists those that there are), or a device that does not open.
    pub fn open(selector: Option<&str>, timing: TimingMode) -> Result<Gpu> {
        let mut all = discover()?;
        let variable = std::env::var("CLAMPS_DEVICE").ok();
        let chosen = choose_for_rank(&all, selector.or(variable.as_deref()))?;
        let gpu = Gpu::open_found(all.swap_remove(chosen), timing)?;
        let _ = OPENED.set(gpu.info().name.clone()); // once
        Ok(gpu)
    }

    /// Opens the device of a platform, name, version and driver, in the same environment.
    pub(super) fn open_like(device: &[String; 4]) -> Result<Gpu> {
        let is = |found: &Found| {
            let DeviceInfo { platform, name, version, driver, .. } = &found.info;
            [platform, name, version, driver].into_iter().eq(device)
        };
        let all = discover()?.into_iter().flat_map(|mut found| {
            let direct = found.direct.take().map(|direct| *direct);
            [Some(found), direct].into_iter().flatten()
        });
        let found = all.into_iter().find(is);
        let found = found.ok_or_else(|| Error::new(format!("there is no device {}", device.join(", "))))?;
        Gpu::open_found(found, TimingMode::Off)
    }

    fn open_found(found: Found, timing: TimingMode) -> Result<Gpu> {
        let mut info = found.info;
        let failed =
            |failure: Failure| failure.while_doing(format_args!("open {} ({})", info.name, info.platform));
        let context = Context::new(found.platform, found.device).map_err(failed)?;
        // A simulator goes through its queues one after the other.
        let queues = Queues::new(&context, found.device, timing, info.is_simulator).map_err(failed)?;
        let host_flag = if info.unified { host_flag(&context, &info) } else { 0 };
        if info.kind != DeviceKind::Cpu && info.simd <= 1 {
            info.simd = ask_compiler_for_simd(&context, found.device).unwrap_or(1).max(1);
        }
        Ok(Gpu(Rc::new(Inner {
            device: found.device,
            direct: OnceCell::new(),
            unopened: found.direct,
            context,
            queues,
            info,
            position: found.position,
            common: OnceCell::new(),
            host_flag,
            staging: Cell::new(None),
            window: RefCell::default(),
            programs: RefCell::default(),
            unbuilt: RefCell::default(),
            foreseen: RefCell::default(),
            helpers: Helpers::default(),
            compiling: Cell::default(),
            lacks_bitcode: Cell::default(),
            recorder: RefCell::new(Recorder::new(timing)),
            waited: Cell::default(),
            allocated: Cell::new(0),
            peak: Cell::new(0),
            buffers: Cell::new(0),
        })))
    }

    /// One core of the same processor, whose commands are done by the thread that enqueues them, so that a launch wakes no
    /// other; `None` where the runtime has no such device. Opened when first asked for.
    ///
    /// # Errors
    /// A device that does not open.
    pub fn direct(&self) -> Result<Option<&Gpu>> {
        if self.0.direct.get().is_none() {
            let timing = self.timing();
            let opened = self
                .0
                .unopened
                .as_ref()
                .map(|found| Gpu::open_found(Found::clone(found), timing))
                .transpose()?;
            let _ = self.0.direct.set(opened); // it was empty
        }
        Ok(self.0.direct.get().and_then(Option::as_ref))
    }

    /// Whether this is the same device, opened once.
    pub fn is(&self, other: &Gpu) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// What the device says of itself.
    pub fn info(&self) -> &DeviceInfo {
        &self.0.info
    }

    /// What the work is cut up for: the device, or where ranks have devices of different kinds, what these have in common.
    pub fn common(&self) -> &DeviceInfo {
        self.0.common.get().map_or(&self.0.info, |(common, _)| common)
    }

    /// Whether ranks have devices of different kinds.
    pub fn is_among_others(&self) -> bool {
        self.0.common.get().is_some()
    }

    /// Where ranks have devices of different kinds: of each rank the first one whose device is of the same kind.
    pub fn kinds_of_ranks(&self) -> &[usize] {
        self.0.common.get().map_or(&[], |(_, kinds)| kinds)
    }

    /// Has all ranks know of one another's devices, which are in the ranks' order.
    ///
    /// # Errors
    /// When a device cannot be told.
    pub fn meet_others(&self) -> Result<Vec<RankDevice>> {
        let failed =
            |error: serde_json::Error| Error::new(format!("a device cannot be told to other ranks: {error}"));
        let mut machine = ranks::host();
        // A launcher may show each rank another one.
        for name in SHOWN {
            machine.extend(std::env::var(name));
        }
        let own = RankDevice { info: self.info().clone(), position: self.0.position, machine };
        let texts = ranks::texts(&serde_json::to_string(&own).map_err(failed)?);
        let devices = texts.iter().map(|text| serde_json::from_str(text));
        let devices: Vec<RankDevice> = devices.collect::<serde_json::Result<_>>().map_err(failed)?;
        let all: Vec<&DeviceInfo> = devices.iter().map(|device| &device.info).collect();
        if all.iter().any(|other| !other.is_like(all[0]))
            && let Some(common) = DeviceInfo::common(&all)
        {
            let first_like = |one: &&DeviceInfo| all.iter().take_while(|other| !other.is_like(one)).count();
            let _ = self.0.common.set((common, all.iter().map(first_like).collect())); // it was empty
        }
        Ok(devices)
    }

    /// An array of `len` zeros on the device; `name` is for messages. A length of 0 is allowed.
    ///
    /// # Errors
    /// More bytes than the device's largest allocation, or than what its other buffers leave of its memory:
    /// with both figures. Or an allocation that fails.
    pub fn buffer<T: Pod>(&self, name: &'static str, len: usize) -> Result<Buffer<T>> {
        Buffer::new(self, name, len)
    }

    /// Fails, with both figures, when `bytes` more than now allocated do not fit; `what` names the need
    /// ("the neighbour list of 4000 atoms").
    ///
    /// # Errors
    /// When they do not fit.
    pub fn require_memory(&self, bytes: u64, what: &str) -> Result<()> {
        let memory = self.0.info.memory;
        let mut free = memory.saturating_sub(self.allocated());
        // A CPU's memory is the host's, of which other processes have a part. To ask takes longer than to hand out a little.
        if bytes >= MUCH && self.0.info.kind == DeviceKind::Cpu {
            free = free.min(memory::available().map_or(free, |bytes| bytes as u64));
        }
        if bytes <= free {
            return Ok(());
        }
        let size = super::size;
        Err(Error::new(format!(
            "{what} needs {} of device memory, but {} has {} free of {}",
            size(bytes),
            self.0.info.name,
            size(free),
            size(memory)
        ))
        .help("use a smaller system or cutoff, or a device with more memory (clamps devices lists them)"))
    }

    /// As [`require_memory`](Self::require_memory), also against the largest single allocation.
    pub(super) fn check_room(&self, name: &str, bytes: u64) -> Result<()> {
        if bytes > self.0.info.max_alloc {
            return Err(Error::new(format!(
                "buffer `{name}` needs {}, but the largest single allocation of {} is {}",
                super::size(bytes),
                self.0.info.name,
                super::size(self.0.info.max_alloc)
            )));
        }
        self.require_memory(bytes, &format!("buffer `{name}`"))
    }

    /// Bytes in live buffers.
    pub fn allocated(&self) -> u64 {
        self.0.allocated.get()
    }

    /// The most bytes that were in live buffers at one time.
    pub fn peak_allocated(&self) -> u64 {
        self.0.peak.get()
    }

    /// Forgets about buffers that are gone: [`Gpu::peak_allocated`] begins anew.
    pub fn forget_peak(&self) {
        self.0.peak.set(self.allocated());
    }

    /// Counts a new buffer; returns its number.
    pub(super) fn track(&self, bytes: u64) -> u64 {
        self.0.allocated.set(self.allocated() + bytes);
        self.0.peak.set(self.peak_allocated().max(self.allocated()));
        self.0.buffers.set(self.0.buffers.get() + 1);
        self.0.buffers.get()
    }

    /// Counts a buffer out.
    pub(super) fn untrack(&self, bytes: u64) {
        self.0.allocated.set(self.allocated() - bytes);
    }

    /// Waits until the device has done everything enqueued so far.
    ///
    /// # Errors
    /// A command that failed.
    pub fn finish(&self) -> Result<()> {
        let done = self.waiting(|| self.0.queues.last().finish());
        done.map_err(|failure| failure.while_doing("finish the queued commands"))
    }

    /// How commands are timed.
    pub fn timing(&self) -> TimingMode {
        self.0.recorder.borrow().mode()
    }

    /// Whether the commands that follow are timed, in [`TimingMode::Sampled`]; off at first.
    pub fn sample(&self, on: bool) {
        self.0.recorder.borrow_mut().sample(on);
    }

    /// Waits for the timed commands and adds their times to the records.
    ///
    /// # Errors
    /// A command that failed.
    pub fn collect(&self) -> Result<()> {
        let folded = self.waiting(|| self.0.recorder.borrow_mut().fold_all());
        folded.map_err(|failure| failure.while_doing("time the queued commands"))
    }

    /// The number of the next command, for [`Gpu::void_since`].
    pub fn mark(&self) -> u64 {
        self.0.recorder.borrow().mark()
    }

    /// Takes the commands from number `mark` on out of the records: they were enqueued ahead and found nothing
    /// to do. Waits for the timed ones.
    ///
    /// # Errors
    /// A command that failed.
    pub fn void_since(&self, mark: u64) -> Result<()> {
        self.collect()?;
        self.0.recorder.borrow_mut().void_since(mark);
        Ok(())
    }

    /// Begins a draft: what is enqueued from here on is not timed, and in the records only as far as [`Gpu::book`] says.
    pub fn draft(&self) {
        self.0.recorder.borrow_mut().draft();
    }

    /// Ends a draft.
    pub fn end_draft(&self) -> Draft {
        self.0.recorder.borrow_mut().end_draft()
    }

    /// Of the first commands of a draft each counts as so many of its kind, the others have done nothing.
    ///
    /// # Errors
    /// A command that failed.
    pub fn book(&self, draft: Draft, counts: &[u32]) -> Result<()> {
        let booked = self.0.recorder.borrow_mut().book(draft, counts);
        booked.map_err(|failure| failure.while_doing("book commands"))
    }

    /// Everything enqueued so far stays in the records; marks taken before are no longer good.
    pub fn settle(&self) {
        self.0.recorder.borrow_mut().settle();
    }

    /// Waits for everything, and returns the records since the last call, in order of first use.
    ///
    /// # Errors
    /// A command that failed.
    pub fn take_records(&self) -> Result<Vec<KernelRecord>> {
        self.finish()?;
        self.collect()?;
        Ok(self.0.recorder.borrow_mut().take())
    }

    /// Does a part of the host's own work, of a fix or of output: the wall time that it takes besides waiting for the device
    /// is booked under a section. Parts within parts are booked once.
    pub fn host<R>(&self, section: Section, work: impl FnOnce() -> R) -> R {
        self.book_host(section, HOST, work)
    }

    /// The same of work that goes on while the device is busy with what is enqueued before it.
    pub fn host_beside<R>(&self, section: Section, work: impl FnOnce() -> R) -> R {
        self.book_host(section, HOST_BESIDE, work)
    }

    fn book_host<R>(&self, section: Section, name: &'static str, work: impl FnOnce() -> R) -> R {
        let (clock, waited) = (Instant::now(), self.0.waited.get());
        let result = work();
        let own = clock.elapsed().saturating_sub(self.0.waited.get() - waited);
        self.0.waited.set(self.0.waited.get() + own);
        self.0.recorder.borrow_mut().add_host(section, name, own);
        result
    }

    /// Waits for the device, which is no work of the host.
    pub(super) fn waiting<R>(&self, wait: impl FnOnce() -> R) -> R {
        let clock = Instant::now();
        let result = wait();
        self.0.waited.set(self.0.waited.get() + clock.elapsed());
        result
    }

    /// Enqueues one command, timed if `timed` says so, or else if it is its turn, and books it.
    pub(super) fn enqueue<'q>(
        &'q self,
        section: Section,
        name: &'static str,
        copied: usize,
        parts: u32,
        timed: Option<bool>,
        run: impl FnOnce(&'q Queue, bool) -> ClResult<Option<Event>>,
    ) -> ClResult<()> {
        let timed = timed.unwrap_or_else(|| self.0.recorder.borrow().timed(name, section));
        let event = run(self.0.queues.of(timed)?, timed)?;
        self.0.recorder.borrow_mut().add(name, section, copied, parts, event)
    }

    /// Does work of which the records are not to tell: that behind the loop that they are of.
    pub fn unbooked<R>(&self, work: impl FnOnce() -> R) -> R {
        self.draft();
        let result = work();
        self.end_draft();
        result
    }

    /// Books a command that `run` has enqueued beside the order of commands; it is not timed, as it takes no time of theirs.
    pub(super) fn beside(
        &self,
        section: Section,
        name: &'static str,
        bytes: usize,
        run: impl FnOnce() -> ClResult<Option<Event>>,
    ) -> Result<()> {
        let done = run().and_then(|_| self.0.recorder.borrow_mut().add(name, section, bytes, 1, None));
        done.map_err(|failure| failure.while_doing(format_args!("{name} other commands")))
    }

    /// Whether the host reaches buffers without a copy.
    pub fn zero_copy(&self) -> bool {
        self.0.host_flag != 0
    }

    /// One line for the log: how the host reaches device memory.
    pub fn zero_copy_report(&self) -> String {
        match self.0.host_flag {
            0 => "Host access: copies through pinned memory (discrete device)".to_owned(),
            USE_PERSISTENT_MEM_AMD => {
                "Host access: zero-copy, CL_MEM_USE_PERSISTENT_MEM_AMD and map/unmap (unified memory)"
                    .to_owned()
            }
            _ => "Host access: zero-copy, CL_MEM_ALLOC_HOST_PTR and map/unmap (unified memory)".to_owned(),
        }
    }
}

/// How buffers on a unified device are allocated so that the host reaches them in place.
fn host_flag(context: &Context, info: &DeviceInfo) -> u64 {
    let amd = info.platform.contains("AMD") && info.kind == DeviceKind::Gpu;
    // Offered if a buffer can be made with it.
    if amd && Mem::new(context, USE_PERSISTENT_MEM_AMD, 4096).is_ok() {
        USE_PERSISTENT_MEM_AMD
    } else {
        CL_MEM_ALLOC_HOST_PTR
    }
}

/// The preferred work-group multiple of a small kernel.
fn ask_compiler_for_simd(context: &Context, device: Device) -> ClResult<usize> {
    const SOURCE: &str = "__kernel void probe(__global float *x) { x[get_global_id(0)] += 1.0f; }";
    let program = ClProgram::from_source(context, SOURCE)?;
    program.build(device, "")?;
    ClKernel::new(&program, "probe")?.preferred_multiple(device)
}
