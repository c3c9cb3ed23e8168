//! Fixes: what happens to the atoms besides forces. Each style is one file here, at most one snippet in cl/fix/ and
//! one line in [`STYLES`].
//!
//! A fix takes part in a step in two ways. What it does to each atom by itself are functions of its snippet
//! ([`Stage`]), which become part of the step's kernels and read the numbers that [`Fix::parameters`] gives for
//! that step. What needs the whole system it does on the host, at the steps that [`Fix::next`] names; the device
//! waits for it there ([`hooks`]).

mod balance;
mod command;
pub mod hooks;
mod moment;
pub(crate) mod nve;

pub use command::{fix, fix_modify, unfix};
pub use moment::{Moment, Quantity};

use crate::compute::{Shape, Values};
use crate::error::{Error, Result};
use crate::kernels::File;
use crate::script::Args;
use crate::simulation::Simulation;
use crate::state::State;
use crate::system::System;

/// Makes a style from the words after the style's name.
type Constructor = fn(Header, &State, &mut Args<'_>) -> Result<Box<dyn Fix>>;

/// Every fix style by name.
pub const STYLES: &[(&str, Constructor)] = &[("balance", balance::new), ("nve", nve::new)];

/// What every fix has: `fix ID GROUP STYLE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Its name.
    pub id: String,
    /// The bit of its group, as a mask.
    pub group: u32,
    /// As in the `fix` command.
    pub style: &'static str,
}

/// A fix as the script defined it. What it remembers from step to step is in cells: methods take `&self`, so that
/// fixes can ask for each other's values.
pub trait Fix {
    /// Name, group, style.
    fn header(&self) -> &Header;

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

    /// Floating-point operations per atom before the forces and after them, as [`crate::work`] counts them; 0 where nobody
    /// has counted, as they are few beside those of the forces.
    fn operations(&self) -> [u32; 2] {
        [0; 2]
    }

    /// Whether it changes forces in minimizations too.
    fn minimizes(&self) -> bool {
        true
    }

    /// What it does to each atom of its group at each step of a run, if anything.
    fn stage(&self) -> Option<Stage> {
        None
    }

    /// What [`Here`](Stage)'s `p` points to, at one step: always as many numbers.
    ///
    /// # Errors
    /// When a variable has no value.
    fn parameters(&self, _now: &Moment<'_>) -> Result<Vec<f64>> {
        Ok(Vec::new())
    }

    /// Whether [`Fix::parameters`] change from step to step.
    fn varies(&self) -> bool {
        false
    }

    /// Checks at the beginning of a run what could not be checked when the fix was defined, and gets ready. Atoms
    /// and forces are on the device.
    ///
    /// # Errors
    /// When something that it needs is missing.
    fn begin_run(&self, _world: &mut World<'_>) -> Result<()> {
        Ok(())
    }

    /// The next step after `step` in which the host takes part; `None` for never.
    fn next(&self, _step: i64) -> Option<i64> {
        None
    }

    /// Whether it needs energies and virials at the steps in which the host takes part.
    fn needs_tally(&self) -> bool {
        false
    }

    /// The host's part before positions move; only for fixes that take part in every step.
    ///
    /// # Errors
    /// When the device fails.
    fn before_step(&self, _world: &mut World<'_>) -> Result<()> {
        Ok(())
    }

    /// The host's part when forces are known, before any fix has changed them; also before the first step.
    ///
    /// # Errors
    /// When the device fails.
    fn after_forces(&self, _world: &mut World<'_>) -> Result<()> {
        Ok(())
    }

    /// The host's part at the end of a step; the stage's `end` follows it.
    ///
    /// # Errors
    /// When the device fails or a file cannot be written.
    fn end_of_step(&self, _world: &mut World<'_>) -> Result<()> {
        Ok(())
    }

    /// After the last step of a run.
    ///
    /// # Errors
    /// When a file cannot be written.
    fn end_run(&self, _world: &mut World<'_>) -> Result<()> {
        Ok(())
    }

    /// What of [`Fix::values`] there is, known before they are; `None` where only the values tell.
    fn shape(&self) -> Option<Shape> {
        None
    }

    /// What `f_ID` stands for.
    ///
    /// # Errors
    /// When it has no values, or none now.
    fn values(&self, _system: &System<'_>) -> Result<Values> {
        Err(Error::new(format!("fix {} has no values", self.header().id)))
    }

    /// Whether the scalar grows with the system, so that thermo output in `lj` units divides it by the number of
    /// atoms.
    fn extensive(&self) -> bool {
        false
    }

    /// The same of the vector's elements.
    fn vector_extensive(&self) -> bool {
        false
    }

    /// Energy that it has taken from the system so far, for `ecouple` and `econserve`.
    fn coupled_energy(&self) -> f64 {
        0.0
    }

    /// Its potential energy, which counts as energy of the system after `fix_modify energy yes`.
    ///
    /// # Errors
    /// When the device fails.
    fn potential_energy(&self, _system: &System<'_>) -> Result<f64> {
        Ok(0.0)
    }

    /// Takes one option of `fix_modify`; `false` for a word that it does not know.
    ///
    /// # Errors
    /// At an argument that does not fit.
    fn modify(&mut self, _keyword: &str, _args: &mut Args<'_>) -> Result<bool> {
        Ok(false)
    }
}

/// The name of a function `void name(Atom *a, const Here *h)` in a fix's snippet (cl/integrate.cl).
pub type Call = &'static str;

/// What a fix does to one atom at the places of a step, as functions of the device.
#[derive(Clone, Copy)]
pub struct Stage {
    /// The file that has them, in cl/fix/.
    pub snippet: File,
    /// Before the forces: positions move.
    pub initial: Option<Call>,
    /// After the forces: they change.
    pub force: Option<Call>,
    /// After all forces: velocities follow.
    pub last: Option<Call>,
    /// At the end of a step in which the host takes part, after [`Fix::end_of_step`].
    pub end: Option<Call>,
}

impl Stage {
    /// No functions of a file yet.
    pub const fn of(snippet: File) -> Self {
        Stage { snippet, initial: None, force: None, last: None, end: None }
    }
}

/// A file of cl/fix/ by its name.
macro_rules! snippet {
    ($name:literal) => {
        (concat!("fix/", $name), include_str!(concat!("../../cl/fix/", $name)))
    };
}
use snippet;

/// What the host's part of a fix sees and may change.
pub struct World<'a> {
    /// What the script has said; its step is the current one.
    pub state: &'a State,
    /// The run.
    pub simulation: &'a mut Simulation,
    /// First and last step of the span over which targets rise.
    pub span: [i64; 2],
}

impl World<'_> {
    /// The system at this moment, to measure it.
    pub fn system(&self) -> System<'_> {
        System::new(self.state, Some(self.simulation))
    }

    /// This step, with everything that can be known at it.
    pub fn moment(&self) -> Moment<'_> {
        Moment::now(self.state, self.span, self.simulation)
    }
}
