//! What fixes show, what of them counts in the energy and pressure of the system, and what they remember beyond a run.

use super::{Fix, FixSums, NO_VALUES, StepContext};
use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::session::compute::{Shape, Values};
use crate::session::snapshot::view::Snapshot;

/// What a fix shows (`f_ID`), and what of it counts in the energy and pressure of the system.
pub trait FixOutput: Fix {
    /// What of [`FixOutput::values`] there is, known before they are; `None` where only the values tell.
    fn shape(&self) -> Option<Shape> {
        sums_of(self).and_then(FixSums::shape)
    }

    /// What `f_ID` stands for.
    ///
    /// # Errors
    /// When it has no values, or none now.
    fn values(&self, _system: &Snapshot<'_>) -> Result<Values> {
        let none = || Err(Error::new(format!("fix {} {NO_VALUES}", self.header().id)));
        sums_of(self).map_or_else(none, |measured| Ok(measured.values()))
    }

    /// At the multiples of how many steps its values are made: at other steps of a run they are those of a step before.
    fn made_every(&self) -> u64 {
        1
    }

    /// Whether the scalar grows with the system, so that thermo output in `lj` units divides it by the number of
    /// atoms.
    fn extensive(&self) -> bool {
        sums_of(self).is_some()
    }

    /// The same of the vector's elements.
    fn vector_extensive(&self) -> bool {
        sums_of(self).is_some()
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
    fn acceleration(&self, _now: &StepContext<'_>) -> Result<Option<[f64; 3]>> {
        Ok(None)
    }

    /// Energy that it has taken from the system so far, for `ecouple` and `econserve`.
    fn coupled_energy(&self, _system: &Snapshot<'_>) -> f64 {
        0.0
    }

    /// The potential energy that it adds to that of the system, after `fix_modify energy yes`.
    fn potential_energy(&self, _system: &Snapshot<'_>) -> f64 {
        sums_of(self).map_or(0.0, FixSums::potential_energy)
    }

    /// The virial (xx yy zz xy xz yz, in energy units) that it adds to the system's, after `fix_modify virial yes`.
    fn virial(&self) -> [f64; 6] {
        sums_of(self).map_or([0.0; 6], FixSums::counted_virial)
    }

    /// Whether there is one that counts.
    fn counts_virial(&self) -> bool {
        sums_of(self).is_some_and(FixSums::counts_virial)
    }

    /// The same of each atom, by these IDs in the order of memory; empty for none. Measured where some compute
    /// asks for it.
    fn virials(&self, _tags: &[u32]) -> Vec<[f64; 6]> {
        sums_of(self).map_or(Vec::new(), FixSums::virials)
    }
}

/// The sums of a fix, which are what it shows unless it says otherwise.
fn sums_of<F: Fix + ?Sized>(fix: &F) -> Option<&FixSums> {
    fix.device().and_then(|device| device.measured())
}

/// What a fix remembers beyond a run: in restart files, and of atoms by their IDs.
pub trait FixMemory: Fix {
    /// What a restart file keeps of it, as numbers that [`FixMemory::restore`] understands; `None`: nothing.
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

    /// Whether it would hold other atoms if IDs were given anew.
    fn holds_by_id(&self) -> bool {
        false
    }

    /// Takes note of atom IDs that were given anew between runs: the old and the new one of each atom.
    fn ids_changed(&mut self, _ids: &[(u32, u32)]) {}

    /// Takes note of atoms that have come during a run.
    ///
    /// # Errors
    /// When it cannot go on with them.
    fn atoms_added(&mut self, _new: &Atoms) -> Result<()> {
        Ok(())
    }
}
