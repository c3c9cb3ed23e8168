//! The ranks of a run: the processes that mpirun, mpiexec or srun have started together, numbered from 0.
//!
//! - this file: which rank this is, and what ranks tell one another. Start here.
//! - `window`: what ranks show one another, in shared memory or by messages
//! - `memory`: that memory
//! - `mpi`: the calls of MPI
//!
//! Started alone there is one rank, and no library is looked for. Every rank carries out the script; rank 0 speaks and writes the files
//! ([`is_first`]). So what ranks tell one another is asked for by all of them at the same place of the script.

mod memory;
mod mpi;
mod window;

use crate::base::error::{Error, Result};
use mpi::Mpi;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::Duration;
pub use window::Window;

/// Where a rank stands among the others.
struct Ranks {
    mpi: Mpi,
    rank: usize,
    size: usize,
    local: [usize; 2],
    machines: usize,
    most_on_a_machine: usize,
}

static RANKS: OnceLock<Ranks> = OnceLock::new();

/// How long a rank that has failed waits for the others to fail of the same.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long what a rank has written may take to its launcher.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// What a launcher sets: how many ranks there are and which this is, if it says so, and whether its library is Open MPI's.
struct Launcher {
    size: &'static str,
    rank: &'static str,
    open: bool,
}

const LAUNCHERS: [Launcher; 7] = [
    Launcher { size: "OMPI_COMM_WORLD_SIZE", rank: "OMPI_COMM_WORLD_RANK", open: true },
    Launcher { size: "PMI_SIZE", rank: "PMI_RANK", open: false },
    Launcher { size: "PMI_FD", rank: "PMI_RANK", open: false },
    Launcher { size: "MPI_LOCALNRANKS", rank: "MPI_LOCALRANKID", open: false },
    Launcher { size: "PALS_RANKID", rank: "PALS_RANKID", open: false },
    Launcher { size: "PMIX_RANK", rank: "PMIX_RANK", open: true },
    Launcher { size: "SLURM_STEP_NUM_TASKS", rank: "SLURM_PROCID", open: true },
];

impl Launcher {
    /// The one that has started this process.
    fn find(variable: impl Fn(&str) -> Option<String>) -> Option<&'static Launcher> {
        LAUNCHERS.iter().find(|launcher| variable(launcher.size).is_some())
    }

    /// How many processes it has started, as far as it says.
    fn started(&self, variable: impl Fn(&str) -> Option<String>) -> usize {
        match self.size {
            "PMI_FD" | "PALS_RANKID" | "PMIX_RANK" => variable("SLURM_STEP_NUM_TASKS"),
            size => variable(size),
        }
        .and_then(|size| size.parse().ok())
        .unwrap_or(1)
    }

    /// Libraries by name, its own kind first. Cray's stands for MPICH's there.
    fn libraries(&self) -> Vec<&'static str> {
        let mpich = ["libmpi.so.12", "libmpich.so.12", "libmpi_cray.so.12"];
        let five = ["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"];
        let open = ["libmpi.so.40"];
        let (own, other): (&[_], &[_]) = if self.open { (&open, &mpich) } else { (&mpich, &open) };
        [own, &five, other].concat()
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// How many ranks a launcher has started on this machine, as far as it says, before [`start`].
pub fn launched_here() -> usize {
    let sizes = ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PALS_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"];
    let size = Launcher::find(variable).and_then(|_| sizes.into_iter().find_map(variable));
    size.and_then(|size| size.parse().ok()).unwrap_or(1).max(1)
}

const REMEDY: &str = "-mpi PATH or CLAMPS_MPI names the libmpi.so of the mpirun, mpiexec or srun that started this; with srun choose its \
                      plugin by --mpi (srun --mpi=list)";

/// Whether this process is one of several and not the first, as far as its launcher says, before [`start`].
pub fn launched_behind_first() -> bool {
    if variable("CLAMPS_MPI").as_deref() == Some("none") {
        return false;
    }
    let rank = Launcher::find(variable).and_then(|launcher| variable(launcher.rank));
    rank.and_then(|rank| rank.parse::<usize>().ok()).is_some_and(|rank| rank > 0)
}

/// Finds out which rank this is; to be called once, by the main thread. `library` is the file of MPI's library where somebody has named
/// it, `none` for none.
///
/// # Errors
/// When a launcher has started several processes and there is no library, or not the launcher's: each would take itself for the only one,
/// and write over the others' files.
pub fn start(library: Option<&str>) -> Result<()> {
    let launcher = Launcher::find(variable);
    if library == Some("none") || library.is_none() && launcher.is_none() {
        return Ok(());
    }
    let started = launcher.map_or(1, |launcher| launcher.started(variable));
    let libraries = match library {
        Some(file) => vec![file],
        None => launcher.map(Launcher::libraries).unwrap_or_default(),
    };
    let ranks = match load(&libraries) {
        Ok(ranks) => ranks,
        Err(why) if library.is_some() || started > 1 => {
            return Err(Error::new(format!("cannot load a library of MPI: {why}")).help(REMEDY));
        }
        Err(_) => return Ok(()),
    };
    let ranks = RANKS.get_or_init(|| ranks);
    match ranks.size == 1 && started > 1 {
        false => Ok(()),
        true => {
            let file = &ranks.mpi.file;
            let message =
                format!("{started} processes were started, but {file} sees each of them as the only one");
            Err(Error::new(message).help(REMEDY))
        }
    }
}

fn load(libraries: &[&str]) -> std::result::Result<Ranks, String> {
    let mpi = Mpi::load(libraries)?;
    let local = mpi.local();
    let (mut firsts, mut most) = ([i64::from(local[0] == 0)], [local[1] as i64]);
    mpi.sum(&mut firsts);
    mpi.max(&mut most);
    let [machines, most_on_a_machine] = [firsts, most].map(|[number]| number as usize);
    Ok(Ranks { rank: mpi.rank(), size: mpi.size(), local, machines, most_on_a_machine, mpi })
}

/// What they talk through, where there are several.
fn several() -> Option<&'static Mpi> {
    RANKS.get().filter(|ranks| ranks.size > 1).map(|ranks| &ranks.mpi)
}

/// This rank.
pub fn rank() -> usize {
    RANKS.get().map_or(0, |ranks| ranks.rank)
}

/// How many there are.
pub fn count() -> usize {
    RANKS.get().map_or(1, |ranks| ranks.size)
}

/// Whether this is the rank that speaks and writes.
pub fn is_first() -> bool {
    rank() == 0
}

/// Which one this is of how many on this machine.
pub fn local() -> [usize; 2] {
    RANKS.get().map_or([0, 1], |ranks| ranks.local)
}

/// How many the machine has that has the most of them.
pub fn most_on_a_machine() -> usize {
    RANKS.get().map_or(1, |ranks| ranks.most_on_a_machine)
}

/// On how many machines they are.
pub fn machines() -> usize {
    RANKS.get().map_or(1, |ranks| ranks.machines)
}

/// The name of this rank's machine, as far as the system tells it.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or(String::new(), |name| name.trim().to_owned())
}

/// The library that connects them, where there are several: `MPICH Version: 4.0.2 (libmpich.so.12)`, with how many machines they are on,
/// where it is not one.
pub fn library() -> Option<String> {
    let on = if machines() > 1 { format!(", on {} machines", machines()) } else { String::new() };
    several().map(|mpi| format!("{} ({}){on}", mpi.version(), mpi.file))
}

/// How long this rank has waited for others, and for messages, since the process began.
pub fn waited() -> Duration {
    several().map_or(Duration::ZERO, Mpi::waited)
}

/// Waits for all ranks to come here.
pub fn barrier() {
    if let Some(mpi) = several() {
        mpi.barrier();
    }
}

/// The largest of each of the numbers that ranks have.
pub fn max<const N: usize>(mut numbers: [i64; N]) -> [i64; N] {
    if let Some(mpi) = several() {
        mpi.max(&mut numbers);
    }
    numbers
}

/// The sums of the numbers that ranks have.
pub fn sum(numbers: &mut [u64]) {
    if let Some(mpi) = several() {
        mpi.sum(bytemuck::cast_slice_mut(numbers));
    }
}

/// Whether any rank says so.
pub fn any(own: bool) -> bool {
    max([i64::from(own)]) != [0]
}

/// Whether all ranks have the same text.
pub fn is_same(text: &str) -> bool {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let own = (hasher.finish() >> 1) as i64; // one bit is left for the sign
    let [most, least] = max([own, -own]);
    most == own && least == -own
}

/// Rank 0's number: of clocks and files, which ranks see each at another moment.
pub fn of_first(own: f64) -> f64 {
    let mut bytes = own.to_ne_bytes();
    follow_first(&mut bytes);
    f64::from_ne_bytes(bytes)
}

/// Replaces bytes, as many on each rank, by rank 0's.
pub fn follow_first(bytes: &mut [u8]) {
    if let Some(mpi) = several() {
        mpi.broadcast(bytes, 0);
    }
}

/// What comes of something that each rank has done: an error on all where it is one on some.
///
/// # Errors
/// This rank's own, or that there is one elsewhere.
pub fn all_or_none<T>(own: Result<T>) -> Result<T> {
    let failed = any(own.is_err());
    own.and_then(|value| if failed { Err(Error::new("another rank has failed")) } else { Ok(value) })
}

/// Has rank 0 do something for all.
///
/// # Errors
/// On all ranks where rank 0 fails.
pub fn by_first(act: impl FnOnce() -> Result<()>) -> Result<()> {
    all_or_none(if is_first() { act() } else { Ok(()) })
}

/// What rank 0 reads, to all; `None` where it has nothing to give. Others do not read.
///
/// # Errors
/// Those of rank 0.
pub fn text_of_first(read: impl FnOnce() -> Result<Option<String>>) -> Result<Option<String>> {
    if several().is_none() {
        return read();
    }
    let own = if is_first() { read() } else { Ok(None) };
    let length = match &own {
        Err(_) => f64::NAN,
        Ok(text) => text.as_ref().map_or(-1.0, |text| text.len() as f64),
    };
    let length = of_first(length);
    let Some(text) = own?.or((length >= 0.0).then(String::new)) else {
        return if length.is_nan() { Err(Error::new("rank 0 has not read its input")) } else { Ok(None) };
    };
    let mut bytes = text.into_bytes();
    bytes.resize(length as usize, 0);
    follow_first(&mut bytes);
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The numbers of all ranks, in their order.
pub fn all<const N: usize>(own: [f64; N]) -> Vec<[f64; N]> {
    let mut numbers = vec![[0.0; N]; count()];
    numbers[rank()] = own;
    let size = size_of::<[f64; N]>();
    let parts: Vec<Range<usize>> = (0..count()).map(|rank| rank * size..(rank + 1) * size).collect();
    gather(bytemuck::cast_slice_mut(numbers.as_flattened_mut()), &parts);
    numbers
}

/// The texts of all ranks, in their order.
pub fn texts(own: &str) -> Vec<String> {
    let mut end = 0;
    let parts: Vec<Range<usize>> = all([own.len() as f64])
        .iter()
        .map(|&[length]| {
            end += length as usize;
            end - length as usize..end
        })
        .collect();
    let mut bytes = vec![0; end];
    bytes[parts[rank()].clone()].copy_from_slice(own.as_bytes());
    gather(&mut bytes, &parts);
    parts.into_iter().map(|part| String::from_utf8_lossy(&bytes[part]).into_owned()).collect()
}

/// Each rank's part of the bytes, which do not overlap, to all.
pub fn gather(bytes: &mut [u8], parts: &[Range<usize>]) {
    if let Some(mpi) = several() {
        mpi.gather(bytes, parts);
    }
}

/// Parts of the bytes that are told, one to each rank, which has room for it among what it hears.
pub fn exchange(told: &[u8], to: &[Range<usize>], heard: &mut [u8], from: &[Range<usize>]) {
    if let Some(mpi) = several() {
        mpi.exchange(told, to, heard, from);
    }
}

/// After an error of this rank: whether all ranks have failed, so that one of them tells it for all.
pub fn all_have_failed() -> bool {
    several().is_none_or(|mpi| mpi.meet(PATIENCE))
}

/// Ends all ranks, whatever they are doing.
pub fn abort(code: u8) {
    if let Some(mpi) = several() {
        // MPICH's launcher kills its helpers at once, with what they have not handed on yet of this rank's last words.
        std::thread::sleep(LAST_WORDS);
        mpi.abort(code.into());
    }
}

/// The end of what ranks tell one another; to be called once, with the status of the process.
pub fn finish(status: i32) {
    if let Some(ranks) = RANKS.get() {
        ranks.mpi.finalize(status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launched(variables: &[(&str, &str)]) -> Option<(usize, &'static str)> {
        let variable = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        let launcher = Launcher::find(variable)?;
        Some((launcher.started(variable), launcher.libraries()[0]))
    }

    #[test]
    fn launchers_are_known_by_their_variables() {
        assert_eq!(launched(&[]), None);
        assert_eq!(launched(&[("SLURM_NTASKS", "8"), ("SLURM_PROCID", "0")]), None, "a batch script");
        assert_eq!(
            launched(&[("PMI_SIZE", "4"), ("PMI_RANK", "1"), ("PMI_FD", "6")]),
            Some((4, "libmpi.so.12"))
        );
        assert_eq!(launched(&[("PMIX_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "3")]), Some((3, "libmpi.so.40")));
        assert_eq!(launched(&[("SLURM_STEP_NUM_TASKS", "2")]), Some((2, "libmpi.so.40")));
    }

    #[test]
    fn alone_there_is_nothing_to_tell() {
        assert!(is_first() && count() == 1 && !any(false) && any(true));
        assert_eq!((max([3, -1]), of_first(0.5)), ([3, -1], 0.5));
        assert_eq!(texts("lj"), ["lj"]);
        let text = text_of_first(|| Ok(Some("run 0".to_owned())));
        assert_eq!(text.ok().flatten().as_deref(), Some("run 0"));
    }
}
