//! Helpers that know nothing of molecular dynamics. Each file stands alone.
//!
//! - `error`: the one error type: message, place in the script, what was expected, remedy. Start here.
//! - `log`, `progress`: the screen and the log file; the progress bar
//! - `format`: numbers as C's `printf` and LAMMPS print them (`format/six`: `%g` with six digits, fast)
//! - `files`, `bytes`: files that are written whole or not at all; numbers as bytes
//! - `parallel`: work over many atoms on all cores, with the same result for any number of them
//! - `random`: LAMMPS's generators and the counter-based one that devices have, too
//! - `signals`: Ctrl-C and SIGTERM
//! - `names`, `steps`, `options_text`, `version`: small conventions that several wings share
//!
//! May import: nothing of the crate.

pub mod bytes;
pub mod error;
pub mod files;
pub mod format;
pub mod log;
pub mod names;
pub mod options_text;
pub(crate) mod parallel;
pub mod progress;
pub mod random;
pub mod signals;
pub mod steps;
pub mod version;
