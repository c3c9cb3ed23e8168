//! Fixes: what happens to the atoms besides forces. Each style is one file here, one snippet in cl/fix/ and one
//! line in [`STYLES`].

mod command;
mod nve;

pub use command::{fix, unfix};

use crate::error::Result;
use crate::kernels::File;
use crate::script::Args;

/// Makes a style from the words after the style's name.
type Constructor = fn(Header, &mut Args<'_>) -> Result<Box<dyn Fix>>;

/// Every fix style by name.
pub const STYLES: &[(&str, Constructor)] = &[("nve", nve::new)];

/// What every fix has: `fix ID GROUP STYLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub id: String,
    /// The bit of its group.
    pub group: u32,
}

/// A fix as the script defined it.
pub trait Fix {
    /// Name and group.
    fn header(&self) -> &Header;

    /// As in the `fix` command.
    fn style(&self) -> &'static str;

    /// Whether it moves atoms.
    fn integrates(&self) -> bool {
        false
    }

    /// What a restart file keeps of it, as numbers that [`Fix::restore`] understands; `None`: nothing.
    fn restart_state(&self) -> Option<Vec<f64>> {
        None
    }

    /// Goes on with what a restart file kept of a fix of the same ID and style.
    ///
    /// # Errors
    /// When these are not its numbers.
    fn restore(&mut self, _numbers: &[f64]) -> Result<()> {
        Ok(())
    }

    /// What it does to each atom of its group during a run.
    fn stage(&self, setup: &Setup<'_>) -> Stage;
}

/// The name of a function `void name(Atom *a, __global const accum *p)` in a fix's snippet.
pub type Call = &'static str;

/// What a fix does to one atom at the places of a step, as functions of the device.
pub struct Stage {
    /// The file that has them, in cl/fix/.
    pub snippet: File,
    /// Before the forces: positions move.
    pub initial: Option<Call>,
    /// After the forces.
    pub last: Option<Call>,
    /// What `p` points to.
    pub parameters: Vec<f64>,
}

/// What a fix may need to know before a run.
pub struct Setup<'a> {
    /// Time step.
    pub dt: f64,
    /// Mass per type.
    pub mass: &'a [f64],
    /// Force per mass to acceleration.
    pub ftm2v: f64,
}
