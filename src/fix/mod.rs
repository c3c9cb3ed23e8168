//! Fixes: one file per style.

/// A fix.
pub trait Fix {}
