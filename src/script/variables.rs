//! Script variables. To be written.

/// The variables of a script.
#[derive(Debug, Default)]
pub struct Variables {}
