//! What PoCL's compiler is told besides: it compiles while a program runs, so most of a first run is its time.
//!
//! Programs come with declarations of the built-in functions that they use (builtins.rs), and clang passes over its own
//! header of all of them. What does not build so is built with that header.
//!
//! Later runs have bitcode, which clang has left of the text (`clCompileProgram`), and PoCL finds its kernels by that: it takes one millisecond for a
//! program and not ten. PoCL can be asked for binaries with the kernels themselves, too, but compiles all of them once more for that.
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

/// The options with which a program is compiled to bitcode. Not those that it is built with, as PoCL would take the one for the other.
pub(super) fn for_bitcode(options: &str) -> String {
    [options, " -DFOR_BITCODE"].concat()
}

/// The bitcode in a binary of a program that PoCL has compiled and not linked: a file, behind its length in four bytes.
pub(super) fn bitcode(binary: &[u8]) -> Option<&[u8]> {
    const MAGIC: &[u8] = b"BC\xC0\xDE";
    let begin = binary.windows(MAGIC.len()).position(|bytes| bytes == MAGIC)?;
    let length = binary.get(begin.checked_sub(4)?..begin)?.try_into().ok()?;
    let end = begin.checked_add(u32::from_le_bytes(length) as usize)?;
    binary.get(begin..end)
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

#[cfg(test)]
mod tests {
    use super::bitcode;

    #[test]
    fn bitcode_is_as_long_as_is_said() {
        let file = |length: u32, rest: &[u8]| {
            [b"poclbin /program.bc", &length.to_le_bytes()[..], b"BC\xC0\xDE", rest].concat()
        };
        assert_eq!(bitcode(&file(6, b"xyz")), Some(&b"BC\xC0\xDExy"[..]));
        for nothing in
            [&file(8, b"xyz")[..], &file(u32::MAX, b"xyz"), b"BC\xC0\xDE", b"1BC\xC0\xDE", b"text", b""]
        {
            assert_eq!(bitcode(nothing), None, "{nothing:?}");
        }
    }
}
