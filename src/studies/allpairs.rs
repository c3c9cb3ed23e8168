//! All-pairs Lennard-Jones with tiles in local memory.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct AllpairsArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &AllpairsArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
