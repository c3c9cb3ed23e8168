//! The Korteweg-de Vries equation.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct KdvArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &KdvArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
