//! Host-device transfer rates from 2 KB to 1 GB: pageable, pinned, mapped, device copy.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct BandwidthArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &BandwidthArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
