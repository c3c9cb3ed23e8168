//! Dumps: one file per style.

/// A dump.
pub trait Dump {}
