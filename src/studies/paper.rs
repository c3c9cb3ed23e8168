//! The 262,144-atom benchmark on every device found.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct PaperArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &PaperArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
