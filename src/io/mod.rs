//! Files that a system is read from and written to.
//!
//! - `data_file/`: LAMMPS data files: `header`, `read`, `write`; `keywords` and `numbers` for files that join a system
//! - `restart/`: restart files: `contents` is what they hold, `file` how it is stored. Start with `contents`.
//!
//! The commands are `commands/restart.rs`, `commands/read_dump/` and, for data files, in `data_file/` itself. May import:
//! `session` and the wings below it.

pub mod data_file;
pub mod restart;
