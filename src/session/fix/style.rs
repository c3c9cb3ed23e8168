//! What a fix style implements ([`Fix`]): its part in a step, and what others want to know of it.

use super::{BoxChange, DeviceFix, ExchangeAtoms, FixMemory, FixOutput, HostFix};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::Compute;
use std::any::Any;

/// What is said of a fix that has none at any time.
pub(crate) const NO_VALUES: &str = "has no values";

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

/// What a fix changes of the force field during runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangedParameters {
    /// Parameters of bonds, which may become longer then.
    pub bonds: bool,
}

/// A fix as the script defined it. What it remembers from step to step is in cells: methods take `&self`, so that
/// fixes can ask for each other's values.
pub trait Fix: Any {
    /// Name, group, style.
    fn header(&self) -> &Header;

    /// Whether it moves atoms.
    fn integrates(&self) -> bool {
        false
    }

    /// Whether atoms move all the same whenever they are wrapped into the box: it does not look at where in the box they are, nor at
    /// variables, whose formulas may. Where all fixes ignore wrapping, rebuilds may come later than LAMMPS's ([`crate::engine::neighbor::prediction`]).
    fn ignores_wrapping(&self) -> bool {
        false
    }

    /// Whether what it remembers belongs to numbers of steps, so that no other step can be set while it is there.
    fn counts_steps(&self) -> bool {
        false
    }

    /// Whether it puts atoms where the time step times all steps since its beginning says, so that they would jump with another one.
    fn keeps_time_step(&self) -> bool {
        false
    }

    /// What the log says of it when it is defined.
    fn announcement(&self) -> Option<String> {
        None
    }

    /// Whether it changes forces in minimizations too.
    fn minimizes(&self) -> bool {
        true
    }

    /// Which parameters of the force field it changes during runs, where it does.
    fn changed_parameters(&self) -> Option<ChangedParameters> {
        None
    }

    /// The properties that it gives all atoms, by their names in dumps.
    fn properties(&self) -> &[String] {
        &[]
    }

    /// The computes that it brings along; they go when it goes.
    fn computes(&self, _state: &Session) -> Vec<Box<dyn Compute>> {
        Vec::new()
    }

    /// The temperature and pressure that it watches, where it does; `fix_modify temp` and `press` choose others.
    fn watched(&mut self) -> Option<&mut Watched> {
        None
    }

    /// Takes one option of `fix_modify`; `false` for a word that it does not know.
    ///
    /// # Errors
    /// At an argument that does not fit.
    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        self.device()
            .and_then(|device| device.measured())
            .map_or(Ok(false), |measured| measured.modify(keyword, args))
    }

    /// What the device does of a fix at each step: functions of one atom, the numbers that they read, what they add up.
    fn device(&self) -> Option<&dyn DeviceFix> {
        None
    }

    /// What the host does of a fix: at the beginning and end of a run, and at the steps that it names.
    fn host(&self) -> Option<&dyn HostFix> {
        None
    }

    /// What a fix does to the box.
    fn box_change(&self) -> Option<&dyn BoxChange> {
        None
    }

    /// What a fix does to the number of atoms.
    fn atom_exchange(&self) -> Option<&dyn ExchangeAtoms> {
        None
    }

    /// What a fix shows (`f_ID`), and what of it counts in the energy and pressure of the system.
    fn output(&self) -> Option<&dyn FixOutput> {
        None
    }

    /// What a fix remembers beyond a run: in restart files, and of atoms by their IDs.
    fn kept(&self) -> Option<&dyn FixMemory> {
        None
    }

    /// The same, to be changed.
    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        None
    }
}

/// IDs of computes that a fix watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Of the temperature.
    pub temperature: String,
    /// Of the pressure; `None` for fixes that have nothing to do with it.
    pub pressure: Option<String>,
}
