//! What a compute style implements.

use crate::base::error::Error;
use crate::base::error::Result;
use crate::model::atoms::Atoms;
use crate::script::atom_expr::AtomExpr;
use crate::script::formula::Reference;
use crate::session::compute::temperature::Temperature;
use crate::session::compute::values::Shape;
use crate::session::compute::values::Values;
use crate::session::snapshot::view::Snapshot;
use std::any::Any;
use std::cell::Cell;
use std::ops::Range;

/// What every compute has: `compute ID GROUP STYLE`.
#[derive(Clone, Debug)]
pub struct Header {
    /// Its name.
    pub id: String,
    /// The bit of its group, as a mask.
    pub group: u32,
    /// As in the `compute` command.
    pub style: &'static str,
    /// `compute_modify extra/dof`: degrees of freedom that are taken off; by default as many as the dimension.
    pub extra_freedom: f64,
    /// `compute_modify dynamic/dof`: the group is counted anew each time.
    pub dynamic: bool,
    /// Atoms of the group when the run began.
    counted: Cell<Option<u64>>,
    /// Degrees of freedom that fixes have taken from it when they had begun.
    taken: Cell<Option<f64>>,
}

impl Header {
    /// Of a compute with the default `extra/dof` for a dimension.
    pub fn new(id: &str, group: u32, style: &'static str, dimension: u32) -> Self {
        let extra_freedom = f64::from(dimension);
        Header {
            id: id.to_owned(),
            group,
            style,
            extra_freedom,
            dynamic: false,
            counted: Cell::new(None),
            taken: Cell::new(None),
        }
    }

    /// The number of atoms of the group: that when the run began, unless `dynamic` or the group is.
    ///
    /// # Errors
    /// When the device fails.
    pub fn count(&self, system: &Snapshot<'_>) -> Result<u64> {
        match self.counted.get() {
            Some(count) if self.keeps_count(system) => Ok(count),
            _ => system.count(self.group),
        }
    }

    /// Whether what was counted when the run began still counts.
    fn keeps_count(&self, system: &Snapshot<'_>) -> bool {
        system.simulation.is_some() && !self.dynamic && !system.session.system.groups.is_dynamic(self.group)
    }

    /// Degrees of freedom that are taken off: `extra/dof`, and those that rigid bodies of the group have less than their atoms.
    pub fn removed_freedom(&self, system: &Snapshot<'_>) -> f64 {
        let taken = self.taken.get().filter(|_| self.keeps_count(system));
        self.extra_freedom + taken.unwrap_or_else(|| self.taken_by_fixes(system))
    }

    fn taken_by_fixes(&self, system: &Snapshot<'_>) -> f64 {
        system.session.fixes.iter().map(|fix| fix.removed_freedom(self.group)).sum()
    }

    /// Takes note of what fixes take, which have begun by now.
    pub fn fixes_have_begun(&self, system: &Snapshot<'_>) {
        self.taken.set(Some(self.taken_by_fixes(system)));
    }

    /// Counts the group at the beginning of a run.
    ///
    /// # Errors
    /// When the group is dynamic and the style needs it as it was at first, or the device fails.
    pub fn begin_run(&self, system: &Snapshot<'_>) -> Result<()> {
        if self.style == "msd" && system.session.system.groups.is_dynamic(self.group) {
            let message = format!("compute {} (msd): its group must not be dynamic", self.id);
            return Err(Error::new(message).help("atoms that come later have no place to count from"));
        }
        self.counted.set(Some(system.count(self.group)?));
        self.taken.set(None);
        Ok(())
    }
}

/// A compute as the script defined it.
pub trait Compute: Any {
    /// Name, group, style.
    fn header(&self) -> &Header;

    /// The same, for `compute_modify`.
    fn header_mut(&mut self) -> &mut Header;

    /// Measures.
    ///
    /// # Errors
    /// When something it needs is missing now, or the device fails.
    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values>;

    /// Before a run: has what the device needs for it built, which is not to count as the run's time.
    ///
    /// # Errors
    /// When the device fails.
    fn get_ready(&self, _system: &Snapshot<'_>) -> Result<()> {
        Ok(())
    }

    /// How the device makes its values per atom, or a column of them (from 1), where it can.
    fn recipe(&self, _system: &Snapshot<'_>, _column: Option<usize>) -> Option<AtomExpr> {
        None
    }

    /// What [`Compute::evaluate`] gives.
    fn shape(&self) -> Shape;

    /// Rows of its array, where their number stays.
    fn rows(&self) -> Option<usize> {
        None
    }

    /// Takes note of atom IDs that were given anew between runs: the old and the new one of each atom.
    fn renumber(&mut self, _ids: &[(u32, u32)]) {}

    /// Takes note of atoms that have come during a run.
    fn atoms_added(&mut self, _new: &Atoms) {}

    /// What a restart file keeps of it, as numbers that [`Compute::restore`] understands; `None`: nothing.
    fn restart_state(&self) -> Option<Vec<f64>> {
        None
    }

    /// Goes on with what a restart file kept of a compute of the same ID and style.
    ///
    /// # Errors
    /// When these are not its numbers.
    fn restore(&mut self, _numbers: &[f64]) -> Result<()> {
        Ok(())
    }

    /// The name of the fix in which LAMMPS has that file keep it, for the log.
    fn store(&self) -> &'static str {
        "STORE/ATOM"
    }

    /// The computes, fixes and variables that it is made from.
    fn inputs(&self) -> Vec<Reference> {
        Vec::new()
    }

    /// Whether it is made from energies or virials of pairs, which are tallied only at steps where somebody asks
    /// for them.
    fn tallies(&self) -> bool {
        false
    }

    /// Whether it takes virials of pairs atom by atom.
    fn counts_pairs_by_atom(&self) -> bool {
        false
    }

    /// Whether virials of fixes count in it, atom by atom.
    fn counts_fixes_by_atom(&self) -> bool {
        false
    }

    /// Whether the scalar grows with the system, so that thermo output in `lj` units divides it by the number
    /// of atoms.
    fn extensive(&self) -> bool {
        false
    }

    /// The same of the vector's elements; the kinetic tensors of temperatures are extensive.
    fn vector_extensive(&self) -> bool {
        self.temperature().is_some()
    }

    /// Itself, if it measures a temperature.
    fn temperature(&self) -> Option<&dyn Temperature> {
        None
    }

    /// If it says how the neighbours of atoms are arranged: its columns of components, and how far it looks for neighbours
    /// (none: as far as pairs reach).
    fn orientation(&self) -> Option<(Range<usize>, Option<f64>)> {
        None
    }
}

/// The longest cutoff of the pair style.
pub(crate) fn pair_cutoff(system: &Snapshot<'_>) -> Result<f64> {
    let pair = system.session.force_field.pair.as_ref();
    let pair = pair.ok_or_else(|| {
        Error::new("there is no pair style, whose cutoff is needed")
            .help("write one, or the keyword `cutoff` where there is one")
    })?;
    Ok(pair.resolve()?.longest_cutoff())
}
