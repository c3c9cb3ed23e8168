//! The modified Amdahl law, from timing records.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct AmdahlArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &AmdahlArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
