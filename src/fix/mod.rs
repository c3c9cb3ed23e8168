//! Fixes: what happens to the atoms besides forces. Each style is one file here and one line in [`STYLES`].

mod command;
mod nve;

pub use command::{fix, unfix};

use crate::error::Result;
use crate::kernels::Context;
use crate::neighbor::Neighbor;
use crate::resident::Resident;
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

    /// Gets ready for a run.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    fn start(&self, setup: &Setup<'_>) -> Result<Box<dyn Active>>;
}

/// What a fix may need to know before a run.
pub struct Setup<'a> {
    /// Device, numerics, shape.
    pub context: &'a Context,
    /// Time step.
    pub dt: f64,
    /// Mass per type.
    pub mass: &'a [f64],
    /// Force per mass to acceleration.
    pub ftm2v: f64,
}

/// A fix during a run: what it enqueues at its places in the step.
pub trait Active {
    /// Launches each of its kernels once without effect: some runtimes compile at the first launch, which
    /// must not fall into the loop's time.
    ///
    /// # Errors
    /// When the device fails.
    fn warm_up(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()>;

    /// Before the forces: positions move.
    ///
    /// # Errors
    /// When the device fails.
    fn initial_integrate(&mut self, atoms: &Resident, neighbor: &Neighbor) -> Result<()>;

    /// Both at once, where nothing comes between a step's end and the next step's beginning; `atoms.step` is
    /// the next step. Gives the same bits as the two.
    ///
    /// # Errors
    /// When the device fails.
    fn turn(&mut self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.final_integrate(atoms)?;
        self.initial_integrate(atoms, neighbor)
    }

    /// After the forces.
    ///
    /// # Errors
    /// When the device fails.
    fn final_integrate(&mut self, atoms: &Resident) -> Result<()>;
}
