//! Settings of OpenCL runtimes that are read from the environment.
#![allow(unsafe_code)]

use std::env;
use std::fs;

/// Sets, unless the user has, what the CPU runtimes need to run these kernels well. PoCL's threads stay on their cores
/// (short kernels otherwise end up on one core) where the process may use all of them, and are no more than the cores that
/// it may use where it may not. Intel's vectoriser leaves explicit vector types alone. To be called first thing in `main`, while there is one thread
/// and no OpenCL yet.
pub fn prepare_environment() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
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
    fn lists_of_cores_are_counted() {
        assert_eq!(count("0-15"), Some(16));
        assert_eq!(count("0"), Some(1));
        assert_eq!(count("0-3,8,10-11"), Some(7));
        assert_eq!(count(""), None);
        assert_eq!(count("3-1"), None);
    }
}
