//! Regions. To be written.

/// The regions of a script by name.
#[derive(Debug, Default)]
pub struct Regions {}
