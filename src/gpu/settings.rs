//! Which values variables of the environment may have. What the table here does not name, its reader checks: CLAMPS_DEVICE and CLAMPS_MPI.

use crate::base::error::{Error, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A variable: what a value must be, and whether one is that.
struct Setting {
    name: &'static str,
    wanted: &'static str,
    fits: fn(&str) -> bool,
}

const SETTINGS: [Setting; 10] = [
    Setting { name: "CLAMPS_CACHE", wanted: "on or off", fits: |value| ["on", "off"].contains(&value) },
    Setting { name: "CLAMPS_CACHE_DIR", wanted: "a folder", fits: may_be_folder },
    Setting {
        name: "CLAMPS_CHECK",
        wanted: "always, never or once",
        fits: |value| ["always", "never", "once"].contains(&value),
    },
    Setting {
        name: "CLAMPS_HELPERS",
        wanted: "a number of processes, from 0",
        fits: |value| value.parse::<usize>().is_ok(),
    },
    Setting {
        name: "CLAMPS_WINDOW",
        wanted: "a number of machines, from 0",
        fits: |value| value.parse::<usize>().is_ok(),
    },
    Setting {
        name: "CLAMPS_TUNE",
        wanted: "on, off or auto",
        fits: |value| ["on", "off", "auto"].contains(&value),
    },
    Setting {
        name: "CLAMPS_BUILD",
        wanted: "words of header, own, portable and cheap with commas between",
        fits: |value| value.split(',').all(|word| ["header", "own", "portable", "cheap"].contains(&word)),
    },
    Setting {
        name: "CLAMPS_REHEARSE",
        wanted: "amd64, amd32, intel16 or llvmpipe, or one of them with ,fp32 behind it",
        fits: |value| {
            let shape = value.strip_suffix(",fp32").unwrap_or(value);
            ["amd64", "amd32", "intel16", "llvmpipe"].contains(&shape)
        },
    },
    Setting { name: "CLAMPS_BREAK", wanted: "FILE|OLD|NEW", fits: |value| value.splitn(3, '|').count() == 3 },
    Setting { name: "CLAMPS_TEXTS", wanted: "a folder", fits: |value| Path::new(value).is_dir() },
];

/// Whether the path is a folder, or nothing is there yet.
fn may_be_folder(path: &str) -> bool {
    let path = Path::new(path);
    path.is_dir()
        || !path.exists() && path.ancestors().skip(1).find(|above| above.exists()).is_none_or(Path::is_dir)
}

/// A variable that is set to something.
fn given(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// A folder that a variable names.
pub(super) fn folder(name: &str) -> Option<PathBuf> {
    given(name).map(PathBuf::from)
}

/// Refuses values of the environment that mean nothing.
///
/// # Errors
/// Names the variable.
pub fn check_settings() -> Result<()> {
    for Setting { name, wanted, fits } in SETTINGS {
        let Some(value) = given(name) else { continue };
        let value = value.to_string_lossy();
        if !fits(&value) {
            let error = Error::new(format!("{name}: '{value}' is not {wanted}"));
            return Err(error.help(format!("set {name} to {wanted}, or `unset {name}`")));
        }
    }
    Ok(())
}
