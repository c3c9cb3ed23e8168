//! Timing breakdowns of records and logs, side by side.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct CompareArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &CompareArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
