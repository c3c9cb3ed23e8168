//! What a run writes.
//!
//! - `writer`: thermo rows, dump frames and restart files of a run, at their steps. Start here.
//! - `dump/`: dump styles, one file each, and what they share:
//!   - `column`, `select`: values of atoms by the words of a script; which atoms are written
//!   - `output`, `header`: files of frames, compressed or not; the lines before the atoms
//! - `kernel_cost`: bytes and operations of each kernel, counted for the record of `-json`
//!
//! Formats and settings of thermo rows are in `session/thermo/`, the timing record in `engine/timing`. May import: `io`, `session`
//! and the wings below.

pub mod dump;
pub mod kernel_cost;
pub mod writer;
