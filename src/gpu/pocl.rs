//! What PoCL's compiler is told besides: it compiles while a program runs, so most of a first run is its time.
//!
//! Programs come with declarations of the built-in functions that they use (builtins.rs), and clang passes over its own
//! header of all of them. What does not build so is built with that header.
//!
//! CLAMPS_BUILD is for tests: words with commas between. `header` builds everything with the compiler's header, `own` nothing, so
//! that a missing declaration is an error. `portable` builds without instructions of a vendor's processors (cl/force/append.cl). `cheap` builds without optimization, which takes half the time and gives slower kernels
//! that round otherwise.

use super::builtins;
use super::select::DeviceInfo;

/// Launches of more work-items are another variant of a kernel, which is compiled at its own first launch.
pub(super) const SMALL_GRID: usize = 65_535;

/// The include guard of clang's header.
const WITHOUT_HEADER: &str = " -D_OPENCL_H_";

fn asked_for(word: &str) -> bool {
    std::env::var("CLAMPS_BUILD").is_ok_and(|words| words.split(',').any(|one| one == word))
}

/// The options that a program is built with.
pub(super) fn options(info: &DeviceInfo, options: &str) -> String {
    let cheap = if info.is_pocl() && asked_for("cheap") { " -cl-opt-disable" } else { "" };
    // What arguments a kernel has, for the helper that compiles ahead (ahead.rs).
    let described = if info.is_pocl() { " -cl-kernel-arg-info" } else { "" };
    // Clang counts its warnings on standard error, whoever asks for the log.
    let quiet = if log::log_enabled!(log::Level::Debug) { "" } else { " -w" };
    let portable = if asked_for("portable") { " -DPORTABLE" } else { "" };
    [options, portable, cheap, described, quiet].concat()
}

/// A program's text with declarations of its own, and options to go with it.
pub(super) fn with_own_builtins(info: &DeviceInfo, source: &str, options: &str) -> Option<(String, String)> {
    let wanted = info.is_pocl() && !asked_for("header");
    wanted.then(|| {
        let older = ["1.", "2.", "3."].iter().any(|major| info.driver.starts_with(major));
        let declarations = builtins::declarations(source, info.fp64, !older);
        (declarations + source, [options, WITHOUT_HEADER].concat())
    })
}

/// Whether a program that does not build so may be built with the header.
pub(super) fn may_have_header() -> bool {
    !asked_for("own")
}
