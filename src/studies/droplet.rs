//! All-pairs van der Waals and Coulomb forces in a droplet.

use crate::error::{Error, Result};

/// Options of the subcommand.
#[derive(Debug, clap::Args)]
pub struct DropletArgs {}

/// Runs it.
///
/// # Errors
/// Not there yet.
pub fn run(_args: &DropletArgs) -> Result<()> {
    Err(Error::new("not there yet"))
}
