//! Run a script over sizes and devices, and compare.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct SweepArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &SweepArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
