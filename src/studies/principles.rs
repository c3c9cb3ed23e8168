//! What each kernel-writing rule is worth on this device.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct PrinciplesArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &PrinciplesArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
