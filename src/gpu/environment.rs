//! Settings of OpenCL runtimes that are read from the environment.
#![allow(unsafe_code)]

use std::env;
use std::fs;

/// Sets, unless the user has, what the CPU runtimes need to run these kernels well: PoCL's threads stay on
/// their cores (short kernels otherwise end up on one core), and Intel's vectoriser leaves explicit vector
/// types alone. To be called first thing in `main`, while there is one thread and no OpenCL yet.
pub fn prepare_environment() {
    if owns_all_cores() {
        set_default("POCL_AFFINITY", "1");
    }
    set_default("CL_CONFIG_CPU_VECTORIZER_MODE", "1");
}

/// PoCL pins thread i to core i, which is wrong for a process that was given only some of the cores (by
/// taskset, a container or mpirun).
fn owns_all_cores() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let online = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    allowed.is_some_and(|list| list.trim() == online.trim())
}

fn set_default(name: &str, value: &str) {
    if env::var_os(name).is_none() {
        // SAFETY: no other thread runs yet that could read the environment: `main` calls this first, before
        // it makes a thread or loads a runtime that does.
        unsafe { env::set_var(name, value) };
    }
}
