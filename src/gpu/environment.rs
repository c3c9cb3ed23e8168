//! Settings of OpenCL runtimes that are read from the environment.
#![allow(unsafe_code)]

use crate::base::ranks;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// PoCL's device with threads, and the one without.
const BOTH: &str = "pthread basic";

/// Whether this program has asked PoCL for its device without threads, beside the usual one.
static DIRECT: OnceLock<()> = OnceLock::new();

/// Sets, unless the user has, what the CPU runtimes need to run these kernels well. PoCL's threads stay on their cores
/// (short kernels otherwise end up on one core) where the process may use all of them, and are no more than the cores that
/// it may use where it may not. Where PoCL has no drivers but those of the CPU it shows both: few atoms are faster without threads
/// ([`Gpu::direct`](super::Gpu::direct)). Intel's vectoriser leaves explicit vector types alone. To be called first thing in `main`, while
/// there is one thread and no OpenCL yet.
pub fn prepare_environment() {
    // Ranks of a machine share its cores out; those that their launcher has bound to some have only these already.
    let given = std::thread::available_parallelism().map_or(1, usize::from);
    let cores = match online_cores() {
        Some(online) if given == online => given.div_ceil(ranks::launched_here()),
        _ => given,
    };
    match online_cores() {
        // PoCL pins thread i to core i, which is wrong for a process that was given only some of the cores (by
        // taskset, a batch system, a container's quota or mpirun), and starts a thread for every core.
        Some(online) if cores < online => {
            for name in ["POCL_MAX_PTHREAD_COUNT", "POCL_CPU_MAX_CU_COUNT"] {
                set_default(name, &cores.to_string());
            }
        }
        Some(_) => set_default("POCL_AFFINITY", "1"),
        None => {}
    }
    set_default("CL_CONFIG_CPU_VECTORIZER_MODE", "1");
    // With this variable PoCL shows no devices but those in it. A program that this one starts has it from here.
    match env::var_os("POCL_DEVICES") {
        None if only_cpu_drivers(&drivers()) => set_default("POCL_DEVICES", BOTH),
        Some(devices) if devices == BOTH => {}
        _ => return,
    }
    let _ = DIRECT.set(()); // once
}

/// Whether PoCL shows its device without threads because this program has asked for it.
pub(super) fn offers_direct() -> bool {
    DIRECT.get().is_some()
}

/// The files of PoCL's drivers, of all of its versions that the OpenCL loader may load; empty where they are not found, as when they
/// are parts of its library.
fn drivers() -> Vec<String> {
    let mut folders = Vec::new();
    for (_, library) in registered() {
        let library = Path::new(&library);
        if !library.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libpocl")) {
            continue;
        }
        match library.parent().filter(|folder| folder.is_absolute()) {
            Some(folder) => folders.push(folder.to_owned()),
            // Where the system's linker looks.
            None => {
                for root in
                    ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"].map(PathBuf::from)
                {
                    folders.extend(entries(&root));
                    folders.push(root);
                }
            }
        }
    }
    let files = folders.iter().flat_map(|folder| entries(&folder.join("pocl")));
    files.filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect()
}

/// The files that name OpenCL's implementations to the loader, and the libraries that they name.
fn registered() -> Vec<(PathBuf, String)> {
    let vendors =
        env::var_os("OCL_ICD_VENDORS").map_or_else(|| PathBuf::from("/etc/OpenCL/vendors"), PathBuf::from);
    let files = if vendors.is_dir() { entries(&vendors) } else { vec![vendors] };
    let named = |file: PathBuf| Some((fs::read_to_string(&file).ok()?.trim().to_owned(), file));
    files.into_iter().filter_map(named).map(|(library, file)| (file, library)).collect()
}

/// Why implementations that are registered may not answer: what is known of each, and the limit that is set for the memory
/// of programs; `None` where none is registered.
pub(super) fn why_none_answers() -> Option<String> {
    let registered = registered();
    if registered.is_empty() {
        return None;
    }
    let of = |(file, library): &(PathBuf, String)| {
        let path = Path::new(library);
        let missing = path.is_absolute() && !path.exists();
        let state = if missing { "which is not there" } else { "which cannot be loaded, or shows nothing" };
        format!("{} names the library '{library}', {state}", file.display())
    };
    let mut why = registered.iter().map(of).collect::<Vec<_>>().join("; ");
    if let Some(limit) = address_space() {
        why += &format!("; this process may have {limit} of memory, which may be too little (`ulimit -v`)");
    }
    Some(why)
}

/// The limit of the address space, where there is one.
fn address_space() -> Option<String> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let bytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(format!("{} MiB", bytes >> 20))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// Whether there are PoCL's two drivers for CPUs, and no others.
fn only_cpu_drivers(files: &[String]) -> bool {
    const KNOWN: [&str; 2] = ["libpocl-devices-basic.so", "libpocl-devices-pthread.so"];
    let drivers: Vec<&str> =
        files.iter().map(String::as_str).filter(|name| name.starts_with("libpocl-devices-")).collect();
    KNOWN.iter().all(|known| drivers.contains(known)) && drivers.iter().all(|name| KNOWN.contains(name))
}

/// The machine's cores that are switched on; `None` where this cannot be read.
fn online_cores() -> Option<usize> {
    count(fs::read_to_string("/sys/devices/system/cpu/online").ok()?.trim())
}

/// The length of a list of the kernel's, such as `0-3,8`.
fn count(list: &str) -> Option<usize> {
    let length = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        (last.parse::<usize>().ok()? + 1).checked_sub(first.parse().ok()?)
    };
    list.split(',').map(length).sum()
}

fn set_default(name: &str, value: &str) {
    if env::var_os(name).is_none() {
        // SAFETY: no other thread runs yet that could read the environment: `main` calls this first, before
        // it makes a thread or loads a runtime that does.
        unsafe { env::set_var(name, value) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_drivers_of_pocl_stay() {
        let [basic, pthread] = ["libpocl-devices-basic.so", "libpocl-devices-pthread.so"].map(String::from);
        let other = "libpocl-devices-cuda.so".to_owned();
        assert!(only_cpu_drivers(&[pthread.clone(), "README".to_owned(), basic.clone()]));
        assert!(!only_cpu_drivers(&[pthread.clone(), basic, other]));
        assert!(!only_cpu_drivers(&[pthread]));
        assert!(!only_cpu_drivers(&[]));
    }

    #[test]
    fn lists_of_cores_are_counted() {
        assert_eq!(count("0-15"), Some(16));
        assert_eq!(count("0"), Some(1));
        assert_eq!(count("0-3,8,10-11"), Some(7));
        assert_eq!(count(""), None);
        assert_eq!(count("3-1"), None);
    }
}
