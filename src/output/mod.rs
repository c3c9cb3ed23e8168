//! What a run writes.
//!
//! - `writer`: thermo rows, dump frames and restart files of a run, at their steps. Start here.
//! - `dump/`: dump styles, one file each, and what they share: columns, selection, files
//! - `kernel_cost`: bytes and operations of each kernel, counted for the record of `-json`
//!
//! Formats and settings of thermo rows are in `session/thermo/`, the timing record in `engine/timing`. May import: `io`, `session`
//! and the wings below.

pub mod dump;
pub mod kernel_cost;
pub mod writer;
