//! Helpers that know nothing of molecular dynamics.
//!
//! - `error`: the one error type: message, place in the script, what was expected, remedy. Start here.
//! - `log`, `progress`: the screen and the log file; the progress bar
//! - `format`: numbers as C's `printf` and LAMMPS print them (`format/percent_g`: `%g` with six digits, fast)
//! - `text`: the door through which text files are read
//! - `files`, `stream`, `bytes`: files that are written whole or not at all; compressed ones; numbers as bytes
//! - `ledger`: which files have been read and are being written, so that nothing is written over
//! - `parallel`: work over many atoms on all cores, with the same result for any number of them
//! - `memory`: how much of it is free
//! - `random`: LAMMPS's generators and the counter-based one that devices have, too
//! - `ranks`: the processes that mpirun starts, and what they tell one another (MPI)
//! - `signals`: Ctrl-C, SIGTERM and SIGHUP
//! - `vector`: vectors of three components, their products and lengths
//! - `names`, `steps`, `options_text`, `version`: small conventions that several wings share
//!
//! May import: nothing of the crate.

pub mod bytes;
pub mod error;
pub mod files;
pub mod format;
pub mod ledger;
pub mod log;
pub mod memory;
pub mod names;
pub mod options_text;
pub(crate) mod parallel;
pub mod progress;
pub mod random;
pub mod ranks;
pub mod signals;
pub mod steps;
pub mod stream;
pub mod text;
pub mod vector;
pub mod version;
