//! Screen and log file. To be written.

/// Where output goes.
pub struct Log {}
