//! Which files this run has read and which it has open for writing, so that nothing a user has is written over; and what
//! readers and writers have to tell the log. One ledger per thread, as a script is carried out on one.

use crate::base::error::{Error, Result};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::SystemTime;

/// A file on a device, by whatever name. The time it was made tells it from an older one whose number it has got.
type Node = (u64, u64, Option<SystemTime>);

/// What a file of a variable is: scripts keep a state there for the next run, and write it anew.
pub const STATE: &str = "the file of a variable";

/// Where a file is, by its name without links and by its device and number.
struct Place {
    path: PathBuf,
    node: Option<Node>,
}

/// A file that has been read.
struct Input {
    place: Place,
    what: &'static str,
    /// This run has made it, or is expected to, and may make it anew.
    own: bool,
    reading: Weak<()>,
}

/// A file that is open for writing, or will be.
struct Output {
    path: PathBuf,
    what: String,
}

#[derive(Default)]
struct Ledger {
    inputs: Vec<Input>,
    outputs: Vec<Weak<Output>>,
    /// Standard output and standard error, where they are files.
    standard: Vec<Place>,
    written: HashSet<Node>,
    told: HashSet<String>,
    warnings: Vec<String>,
}

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
}

/// A file is being read as long as there is this.
pub struct Reading(#[expect(dead_code, reason = "its count is what matters")] Arc<()>);

/// A place that is taken for an output as long as there is this.
pub struct Claim(Arc<Output>);

/// Notes that a file is read, and what it is to the user: `the data file that was read`. Pipes and devices are none.
pub(super) fn reads(path: &Path, file: &File, what: &'static str) -> Option<Reading> {
    let data = file.metadata().ok().filter(Metadata::is_file)?;
    let place = Place { path: full(path), node: node(&data) };
    let reading = Arc::new(());
    LEDGER.with_borrow_mut(|ledger| {
        let own = what == STATE || place.node.is_some_and(|node| ledger.written.contains(&node));
        ledger.inputs.retain(|input| input.place.path != place.path || input.reading.strong_count() > 0);
        ledger.inputs.push(Input { place, what, own, reading: Arc::downgrade(&reading) });
    });
    Some(Reading(reading))
}

/// Notes that a script comes from standard input, and that standard output and error are written.
#[cfg(unix)]
pub fn standard_streams(script: bool) {
    use std::os::fd::AsFd;
    let file = |stream: std::io::Result<std::os::fd::OwnedFd>| Some(File::from(stream.ok()?));
    if script && let Some(file) = file(std::io::stdin().as_fd().try_clone_to_owned()) {
        reads(Path::new("/dev/stdin"), &file, "the script");
    }
    let streams =
        [std::io::stdout().as_fd().try_clone_to_owned(), std::io::stderr().as_fd().try_clone_to_owned()];
    for data in streams.into_iter().filter_map(file).filter_map(|file| file.metadata().ok()) {
        if data.is_file() {
            let place = Place { path: PathBuf::new(), node: node(&data) };
            LEDGER.with_borrow_mut(|ledger| ledger.standard.push(place));
        }
    }
}

/// Files behind standard streams cannot be told from others here.
#[cfg(not(unix))]
pub fn standard_streams(_: bool) {}

/// Notes that this run has made a file.
pub(super) fn wrote(file: &File) {
    if let Some(node) = file.metadata().ok().filter(Metadata::is_file).and_then(|data| node(&data)) {
        LEDGER.with_borrow_mut(|ledger| ledger.written.insert(node));
    }
}

/// Takes a place for an output, which has a name for users: `the log file`.
///
/// # Errors
/// When this run has read the file, or has it open as another output.
pub fn claim(path: &Path, what: impl Into<String>) -> Result<Claim> {
    let output = Arc::new(Output { path: full(path), what: what.into() });
    check(path, Some(&output.what), true)?;
    LEDGER.with_borrow_mut(|ledger| {
        ledger.outputs.retain(|output| output.strong_count() > 0);
        ledger.outputs.push(Arc::downgrade(&output));
    });
    Ok(Claim(output))
}

impl Claim {
    /// What it is to users.
    pub fn what(&self) -> &str {
        &self.0.what
    }
}

/// Refuses a place at which this run has read a file or, where `outputs` count, has an output open that is not the one of this
/// name. Pipes and devices may be taken twice.
pub(super) fn check(path: &Path, mine: Option<&str>, outputs: bool) -> Result<()> {
    let data = path.metadata().ok();
    if data.as_ref().is_some_and(|data| !data.is_file()) {
        return Ok(());
    }
    let place = Place { path: full(path), node: data.as_ref().and_then(node) };
    let there = data.is_some();
    let same = |other: &Place| other.path == place.path || place.node.is_some() && other.node == place.node;
    let taken = LEDGER.with_borrow(|ledger| {
        let mut kept = ledger.inputs.iter().filter(|input| !input.own || input.reading.strong_count() > 0);
        if let Some(input) = kept.find(|input| there && same(&input.place)) {
            return Some(input.what.to_owned());
        }
        if !outputs {
            return None;
        }
        if there && ledger.standard.iter().any(same) {
            return Some("where the screen's output goes".to_owned());
        }
        let open = ledger.outputs.iter().filter_map(Weak::upgrade);
        let other = open.filter(|output| mine != Some(&*output.what)).find(|output| {
            let node = output.path.metadata().ok().as_ref().and_then(node);
            same(&Place { path: output.path.clone(), node })
        });
        other.map(|output| output.what.clone())
    });
    match taken {
        None => Ok(()),
        Some(what) => {
            let message = format!("cannot write {}: that is {what}", path.display());
            Err(Error::new(message).help("name another file"))
        }
    }
}

/// Whether two paths lead to one file, there or not; never for pipes and devices.
pub(super) fn same_file(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let data = path.metadata().ok();
        let file = data.as_ref().is_none_or(Metadata::is_file);
        file.then(|| Place { path: full(path), node: data.as_ref().and_then(node) })
    };
    let (Some(a), Some(b)) = (place(a), place(b)) else { return false };
    a.path == b.path || a.node.is_some() && a.node == b.node
}

/// Keeps a warning for the log, once for each file.
pub(super) fn warn_once(name: &str, warning: String) {
    LEDGER.with_borrow_mut(|ledger| {
        if ledger.told.insert(name.to_owned()) {
            ledger.warnings.push(warning);
        }
    });
}

/// The warnings since the last call.
pub fn warnings() -> Vec<String> {
    LEDGER.with_borrow_mut(|ledger| std::mem::take(&mut ledger.warnings))
}

/// The place of a file that is there or not, without links.
fn full(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        path.file_name().map_or_else(|| path.to_owned(), |name| folder.join(name))
    })
}

#[cfg(unix)]
fn node(data: &Metadata) -> Option<Node> {
    use std::os::unix::fs::MetadataExt;
    Some((data.dev(), data.ino(), data.created().ok()))
}

#[cfg(not(unix))]
fn node(_: &Metadata) -> Option<Node> {
    None
}
