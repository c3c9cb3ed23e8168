//! A second process that compiles what a run is about to launch, from the last kernel on, while the run begins with the first one: PoCL
//! compiles one thing at a time in a process, and a kernel at its first launch. They meet in the middle: who comes to a kernel that the other
//! one has in hand waits for it (turn.rs), and finds the rest in PoCL's cache.
//!
//! The helper is this program (`clamps compile-ahead`), which the command line offers; who uses CLAMPS as a library has none. It
//! launches each kernel once with memory that says that the run has halted, so that nothing is done. CLAMPS_HELPERS=0 goes without.
//!
//! Where PoCL's linker is missing (linker.rs) such a process tries each kernel first, as the process that compiles it in vain is ended.

use std::cell::RefCell;
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::OnceLock;

use ocl::core::ffi::CL_MEM_READ_WRITE;
use serde::{Deserialize, Serialize};

use super::cache;
use super::cl::Mem;
use super::compile::ClKernel;
use super::device::Gpu;
use super::linker;
use super::pocl;
use super::program::{Launch, ProgramText};
use super::turn;
use crate::base::error::{Error, Result};
use crate::base::signals;

/// How helpers are started.
static HELPER: OnceLock<Helper> = OnceLock::new();

struct Helper {
    program: PathBuf,
    word: &'static str,
    /// Whether they compile ahead, too, not only what may fail.
    ahead: bool,
}

/// Helpers at most, where there are so many cores besides one.
const MOST: usize = 2;

/// Bytes of the memory that kernels get which are to do nothing.
const NOTHING: usize = 1 << 20;

/// Has first runs compile in a second process, which is this program with this word: what may end that process, and with `ahead` what
/// the run is about to launch.
pub fn offer_helper(word: &'static str, ahead: bool) {
    if let Ok(program) = std::env::current_exe() {
        let _ = HELPER.set(Helper { program, word, ahead }); // once
    }
}

/// What a helper is to do.
#[derive(Serialize, Deserialize)]
struct Order {
    /// Platform, name, version and driver of the device.
    device: [String; 4],
    /// The number of the helper.
    number: usize,
    /// Whether the run waits for this, to know whether it can be compiled at all.
    tries: bool,
    jobs: Vec<Job>,
}

impl Order {
    fn new(gpu: &Gpu, number: usize, tries: bool, jobs: Vec<Job>) -> Order {
        let info = gpu.info();
        let device = [&info.platform, &info.name, &info.version, &info.driver].map(String::clone);
        Order { device, number, tries, jobs }
    }
}

/// A program, and launches of its kernels.
#[derive(Clone, Serialize, Deserialize)]
struct Job {
    files: Vec<String>,
    source: String,
    options: String,
    launches: Vec<Launch>,
}

/// Processes that compile for this one, and what they do; they go when it goes.
#[derive(Default)]
pub(super) struct Helpers {
    children: RefCell<Vec<Child>>,
    jobs: RefCell<Vec<Foreseen>>,
}

/// A program of a job, its launches, and the file that says that all of it is compiled.
struct Foreseen {
    text: Rc<ProgramText>,
    launches: Vec<Launch>,
    mark: PathBuf,
}

impl Helpers {
    /// Ends the helpers, and marks what has been launched, so that later runs need none for it.
    fn end(&self) {
        for mut child in self.children.take() {
            // Fails where it has ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
        for Foreseen { text, launches, mark } in self.jobs.take() {
            let launched = text.launched.borrow();
            if launches.iter().all(|launch| launched.contains(launch)) {
                // Without a mark there is a helper again.
                let _ = std::fs::write(mark, "");
            }
        }
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        self.end();
    }
}

impl Gpu {
    /// Has helpers compile the kernels whose launches are [foreseen](super::Kernel::foresee), in their order, where that is faster: on PoCL, as
    /// far as they are not in its cache. Whatever fails is as good as no helper.
    pub fn compile_ahead(&self) {
        let foreseen = self.0.foreseen.take();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = std::env::var("CLAMPS_HELPERS").ok().and_then(|number| number.parse().ok());
        let helpers = wanted.unwrap_or(usize::MAX).min(cores - 1).min(MOST);
        let may_help =
            |helper: &&Helper| helper.ahead && helpers > 0 && self.info().is_pocl() && linker::is_there();
        let Some(helper) = HELPER.get().filter(may_help) else { return };
        let Some(folder) = turn::folder(self.info()) else { return };
        let mut jobs: Vec<(Rc<ProgramText>, Job)> = Vec::new();
        for (text, launch) in foreseen {
            match jobs.iter_mut().find(|(known, _)| Rc::ptr_eq(known, &text)) {
                Some((_, job)) if job.launches.contains(&launch) => {}
                Some((_, job)) => job.launches.push(launch),
                None => jobs.push((Rc::clone(&text), Job::new(&text, launch))),
            }
        }
        let mut known = Vec::new();
        jobs.retain(|(text, job)| {
            let mark = folder.join(job.mark(self));
            let unknown = !mark.exists();
            if unknown {
                known.push(Foreseen { text: Rc::clone(text), launches: job.launches.clone(), mark });
            }
            unknown
        });
        let jobs: Vec<Job> = jobs.into_iter().rev().map(|(_, job)| job).collect();
        *self.0.helpers.jobs.borrow_mut() = known;
        // One program takes as long as a helper's start.
        if jobs.len() < 2 {
            return;
        }
        for number in 0..helpers.min(jobs.len()) {
            let mine = (number..jobs.len()).step_by(helpers);
            let order = Order::new(self, number, false, mine.map(|k| jobs[k].clone()).collect());
            match helper.start(&order) {
                Ok(child) => self.0.helpers.children.borrow_mut().push(child),
                Err(err) => log::debug!("no second process that compiles: {err}"),
            }
        }
    }

    /// Where PoCL may not be able to link a kernel, at which it ends the process: finds out in another process, which finds the kernel in
    /// PoCL's cache or compiles it. Without a helper's program nothing is known.
    pub(super) fn try_to_compile(&self, text: &Rc<ProgramText>, launch: Launch) -> Result<()> {
        let may_fail = |_: &&Helper| self.info().is_pocl() && !linker::is_there();
        let Some(helper) = HELPER.get().filter(may_fail) else { return Ok(()) };
        let name = launch.name.clone();
        let order = Order::new(self, 0, true, vec![Job::new(text, launch)]);
        let ended = helper.start(&order).and_then(|mut child| child.wait());
        match ended {
            Ok(status) if !status.success() && signals::signal().is_none() => Err(linker::missing(&name)),
            Ok(_) => Ok(()),
            Err(err) => {
                log::debug!("no second process that compiles: {err}");
                Ok(())
            }
        }
    }

    /// Ends the helpers, as all that they were for has been launched: a loop's time is to hold nothing of theirs.
    pub fn end_helpers(&self) {
        self.0.helpers.end();
    }

    /// Compiles a program and its kernels, as far as nobody else does.
    fn work_off(&self, job: &Job, nothing: &Mem, tries: bool) -> Result<()> {
        let text = ProgramText::new(self, job.files.clone(), job.source.clone(), job.options.clone());
        let cl = text.built(self)?;
        for launch in &job.launches {
            let key = launch.key(self, &text);
            let waited = tries.then(|| self.turn(&key, &launch.name));
            let at_once = if tries { None } else { turn::at_once(self.info(), &key) };
            // Who has it in hand is about to have it done.
            if waited.is_none() && at_once.is_none() {
                continue;
            }
            let global = if launch.many { pocl::SMALL_GRID + 1 } else { 1 };
            let launched = ClKernel::new(cl, &launch.name).and_then(|kernel| {
                kernel.set_to_nothing(nothing)?;
                let queue = self.0.queues.last();
                queue.clear(nothing, 0, NOTHING, false)?;
                kernel.launch(queue, global.next_multiple_of(launch.local), launch.local, false)?;
                queue.finish()
            });
            launched.map_err(|failure| failure.while_doing(format_args!("compile `{}`", launch.name)))?;
            log::debug!("ahead of the run: {}", launch.name);
        }
        Ok(())
    }
}

impl Job {
    fn new(text: &ProgramText, launch: Launch) -> Job {
        Job {
            files: text.files.clone(),
            source: text.source.clone(),
            options: text.options.clone(),
            launches: vec![launch],
        }
    }

    /// The name of the file that says that all of it is compiled.
    fn mark(&self, gpu: &Gpu) -> String {
        let launches: Vec<String> = self.launches.iter().map(Launch::words).collect();
        format!("ready-{}", cache::key(gpu.info(), &[&self.source, &self.options, &launches.join(", ")]))
    }
}

impl Helper {
    fn start(&self, order: &Order) -> std::io::Result<Child> {
        // A pipe would keep the run waiting for a reader.
        let mut file = tempfile::tempfile()?;
        serde_json::to_writer(&mut file, order)?;
        file.flush()?;
        file.rewind()?;
        let stderr = if log::log_enabled!(log::Level::Debug) { Stdio::inherit() } else { Stdio::null() };
        Command::new(&self.program).arg(self.word).stdin(file).stdout(Stdio::null()).stderr(stderr).spawn()
    }
}

/// What the helper does: the order comes from standard input.
///
/// # Errors
/// No order, or no such device.
pub fn help_compile() -> Result<()> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map_err(|err| Error::new(format!("cannot read what to compile: {err}")))?;
    let order: Order = serde_json::from_str(&text)
        .map_err(|err| Error::new(format!("compile-ahead is for runs, which say what to compile: {err}")))?;
    let gpu = Gpu::open_like(&order.device)?;
    // Of many first runs at once one has helpers.
    let name = format!("helper-{}", order.number);
    let alone = turn::at_once(gpu.info(), &name);
    if alone.is_none() && !order.tries {
        return Ok(());
    }
    let nothing = Mem::new(&gpu.0.context, CL_MEM_READ_WRITE, NOTHING);
    let nothing = nothing.map_err(|failure| failure.while_doing("make room for nothing"))?;
    for job in &order.jobs {
        if let Err(err) = gpu.work_off(job, &nothing, order.tries) {
            // The run finds out, and tells.
            log::debug!("{err}");
        }
    }
    Ok(())
}
