//! One force evaluation, with and without Newton's third law, in all its variants.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct ForceArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &ForceArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
