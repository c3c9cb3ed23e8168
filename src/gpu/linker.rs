//! The linker that PoCL calls for each kernel which is not in its cache: `ld`, of the folders of PATH. Where it is missing PoCL (seen in 3.1)
//! ends the process with the signal SIGABRT. So kernels are tried in another process then (ahead.rs).

use std::path::Path;

use crate::base::error::Error;

const NAME: &str = "ld";

/// Whether it is in a folder of PATH.
pub(super) fn is_there() -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| is_program(&folder.join(NAME))))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// That a kernel could not be compiled without it.
pub(super) fn missing(kernel: &str) -> Error {
    let message = format!(
        "PoCL cannot compile kernel `{kernel}`: it links by the program `{NAME}`, which is in no folder of PATH"
    );
    Error::new(message)
        .help("`apt install binutils` installs it on Debian and Ubuntu; else add its folder to PATH")
}
