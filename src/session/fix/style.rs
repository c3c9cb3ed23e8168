//! What a fix style implements ([`Fix`]): its part in a step, and what others want to know of it.

use super::coupling::Feedback;
use super::{Measured, Moment, World};
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::Stage;
use crate::model::atoms::Atoms;
use crate::model::domain::{Domain, Flow};
use crate::model::topology::Bond;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::Compute;
use crate::session::compute::{Shape, Values};
use crate::session::snapshot::view::Snapshot;
use std::any::Any;
use std::borrow::Cow;
use std::ops::RangeInclusive;

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
    /// variables, whose formulas may. Where all fixes are blind, rebuilds may come later than LAMMPS's ([`crate::engine::neighbor::prediction`]).
    fn blind(&self) -> bool {
        false
    }

    /// What the log says of it when it is defined.
    fn announcement(&self) -> Option<String> {
        None
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

    /// Floating-point operations per atom before the forces and after them, as [`crate::output::kernel_cost`] counts them; 0 where nobody
    /// has counted, as they are few beside those of the forces.
    fn operations(&self) -> [u32; 2] {
        [0; 2]
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

    /// What it does to each atom of its group at each step of a run, if anything.
    fn stage(&self) -> Option<Stage> {
        None
    }

    /// The groups whose atoms its functions are called for, as a mask.
    fn groups(&self) -> u32 {
        self.header().group
    }

    /// What its functions read at every step: three numbers of each atom, by ID from 1 (`remembered` of cl/step/integrate.cl), or
    /// tables.
    fn memory(&self) -> Cow<'_, [f64]> {
        Cow::Borrowed(&[])
    }

    /// Whether the host gives its functions what they remember of each atom at each step ([`World::remember`]).
    fn remembers_anew(&self) -> bool {
        false
    }

    /// The region whose atoms its functions are for, besides the group.
    fn region(&self) -> Option<&str> {
        None
    }

    /// What its functions add up, if anything: `f_ID` and the like follow from it.
    fn measured(&self) -> Option<&Measured> {
        None
    }

    /// Looks at the sums that were just measured.
    ///
    /// # Errors
    /// When they must not be as they are.
    fn check_measured(&self) -> Result<()> {
        Ok(())
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

    /// The computes that it brings along; they go when it goes.
    fn computes(&self, _state: &Session) -> Vec<Box<dyn Compute>> {
        Vec::new()
    }

    /// The temperature and pressure that it watches, where it does; `fix_modify temp` and `press` choose others.
    fn watched(&mut self) -> Option<&mut Watched> {
        None
    }

    /// Whether it changes the box during a run.
    fn changes_box(&self) -> bool {
        false
    }

    /// Whether thermo output of the styles `one`, `multi` and `yaml` ends with the volume: where LAMMPS says that the fix
    /// changes the box.
    fn shows_volume(&self) -> bool {
        self.changes_box()
    }

    /// How fast it changes the box when a run over a span of steps begins, if it does; asked before the run is set up.
    fn flow(&self, _state: &Session, _span: [i64; 2]) -> Option<Flow> {
        None
    }

    /// Whether the box follows from the step alone where it changes it, so that it knows [`Fix::box_after`].
    fn foresees(&self) -> bool {
        false
    }

    /// The box of the step after one that is made in the box `domain`, with how fast it changes then: the device goes on
    /// to it without the host, by the [`Stage`]'s `end` where positions [follow](Fix::takes_atoms_along). `None` for a step
    /// at which the host has to take part.
    fn box_after(&self, _now: &Moment<'_>, _domain: &Domain) -> Option<Domain> {
        None
    }

    /// Whether positions follow the box that it changes.
    fn takes_atoms_along(&self) -> bool {
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

    /// The host's part at the first step of a run, with its forces as the fixes have changed them and with tallies,
    /// before the first output.
    ///
    /// # Errors
    /// As [`Fix::end_of_step`].
    fn setup(&self, _world: &mut World<'_>) -> Result<()> {
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

    /// The next step after `step` in which it adds, moves or removes atoms, or looks where they have moved; `None` for never.
    fn next_exchange(&self, _step: i64) -> Option<i64> {
        None
    }

    /// Adds atoms to a step's, moves or removes some, when positions have moved and before lists and forces follow; adds the
    /// bonds of those that come. Returns whether it has changed any.
    ///
    /// # Errors
    /// When something that it needs is gone.
    fn exchange(&self, _world: &mut World<'_>, _atoms: &mut Atoms, _bonds: &mut Vec<Bond>) -> Result<bool> {
        Ok(false)
    }

    /// Takes note that atoms of these IDs, which another fix adds in this step, make a rigid body of it.
    ///
    /// # Errors
    /// When it does not take any, or not these.
    fn adopt(&self, _ids: RangeInclusive<u32>) -> Result<()> {
        Err(Error::new(format!("fix {} ({}) holds no rigid bodies", self.header().id, self.header().style)))
    }

    /// Whether it would hold other atoms if IDs were given anew.
    fn holds_by_id(&self) -> bool {
        false
    }

    /// Takes note of atom IDs that were given anew between runs: the old and the new one of each atom.
    fn renumber(&mut self, _ids: &[(u32, u32)]) {}

    /// Takes note of atoms that have come during a run.
    ///
    /// # Errors
    /// When it cannot go on with them.
    fn welcome(&mut self, _new: &Atoms) -> Result<()> {
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

    /// Measures anew what its values and its next step follow from, as other fixes have changed velocities at the end of this
    /// one. Returns whether there is anything.
    ///
    /// # Errors
    /// When a compute is gone or the device fails.
    fn measure_anew(&self, _world: &World<'_>) -> Result<bool> {
        Ok(false)
    }

    /// Its part of every step, where that is one that the device can do instead of the host.
    fn feedback(&self) -> Option<&dyn Feedback> {
        None
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
        self.measured().and_then(Measured::shape)
    }

    /// What `f_ID` stands for.
    ///
    /// # Errors
    /// When it has no values, or none now.
    fn values(&self, _system: &Snapshot<'_>) -> Result<Values> {
        let none = || Err(Error::new(format!("fix {} {NO_VALUES}", self.header().id)));
        self.measured().map_or_else(none, |measured| Ok(measured.values()))
    }

    /// Whether the scalar grows with the system, so that thermo output in `lj` units divides it by the number of
    /// atoms.
    fn extensive(&self) -> bool {
        self.measured().is_some()
    }

    /// The same of the vector's elements.
    fn vector_extensive(&self) -> bool {
        self.measured().is_some()
    }

    /// The same of one element of it, from 1, where they differ.
    fn element_extensive(&self, _element: usize) -> bool {
        self.vector_extensive()
    }

    /// Degrees of freedom that it takes from the atoms of a group (its bit), while they are known: temperatures count them off.
    fn removed_freedom(&self, _group: u32) -> f64 {
        0.0
    }

    /// The acceleration that it gives whatever has mass, where it does, in force over mass.
    ///
    /// # Errors
    /// When a variable has no value.
    fn acceleration(&self, _now: &Moment<'_>) -> Result<Option<[f64; 3]>> {
        Ok(None)
    }

    /// Energy that it has taken from the system so far, for `ecouple` and `econserve`.
    fn coupled_energy(&self, _system: &Snapshot<'_>) -> f64 {
        0.0
    }

    /// The potential energy that it adds to that of the system, after `fix_modify energy yes`.
    fn potential_energy(&self) -> f64 {
        self.measured().map_or(0.0, Measured::potential_energy)
    }

    /// The virial (xx yy zz xy xz yz, in energy units) that it adds to the system's, after `fix_modify virial yes`.
    fn virial(&self) -> [f64; 6] {
        self.measured().map_or([0.0; 6], Measured::counted_virial)
    }

    /// Whether there is one that counts.
    fn counts_virial(&self) -> bool {
        self.measured().is_some_and(Measured::counts_virial)
    }

    /// The same of each atom, by these IDs in the order of memory; empty for none. Measured where some compute
    /// [asks for it](Compute::counts_fixes_by_atom).
    fn virials(&self, _tags: &[u32]) -> Vec<[f64; 6]> {
        self.measured().map_or(Vec::new(), Measured::virials)
    }

    /// Takes one option of `fix_modify`; `false` for a word that it does not know.
    ///
    /// # Errors
    /// At an argument that does not fit.
    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        self.measured().map_or(Ok(false), |measured| measured.modify(keyword, args))
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
