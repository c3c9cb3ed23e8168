//! Files that a system is read from and written to.
//!
//! - `data_file/`: LAMMPS data files, and the commands `read_data` and `write_data`
//!   - `header`, `read`, `write`: counts and box; sections; the way back
//!   - `keywords`, `numbers`: what files that join a system are told, and the numbers that their atoms and types get
//!   - `bonds`, `properties`: sections of bonds, and of properties that a script has made
//! - `restart/`: restart files: `contents` is what they hold, `file` how it is stored. Start with `contents`.
//!
//! The commands are `commands/restart.rs`, `commands/read_dump/` and, for data files, in `data_file/` itself. May import:
//! `session` and the wings below it.

pub mod data_file;
pub mod restart;
