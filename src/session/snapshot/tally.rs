//! Energy and virial of each atom, which the pair kernel tallies only at steps where somebody asks for them.

use crate::session::snapshot::atom_tally::Tally;

use super::view::Snapshot;
use crate::base::error::Result;
use crate::gpu::record::Section;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::no_energies;

impl Snapshot<'_> {
    /// The tallies of all atoms, in the order of the atoms in memory: of this step, or between runs of the end of
    /// the last one.
    ///
    /// # Errors
    /// Before the first run, at a step that has not tallied, and when the device fails.
    pub fn tallies(&self) -> Result<&[Tally]> {
        if self.tallies.get().is_none() {
            let (tally, n) = match self.simulation {
                Some(run) => (run.tallied.then_some(&run.step_kernels.tally), run.atoms.n),
                None => (self.session.tally(), self.session.atom_count()),
            };
            let _ = self.tallies.set(tally.ok_or_else(no_energies)?.rows(Section::Output, n)?);
        }
        Ok(self.tallies.get().expect("set above"))
    }
}

/// Whether a thermo keyword is known without energies.
pub(super) fn is_plain(name: &str) -> bool {
    const PLAIN: [&str; 14] = [
        "step",
        "dt",
        "time",
        "elapsed",
        "elaplong",
        "beginstep",
        "endstep",
        "atoms",
        "bonds",
        "vol",
        "density",
        "xlat",
        "ylat",
        "zlat",
    ];
    PLAIN.contains(&name) || crate::model::domain::is_box_keyword(name)
}

impl Session {
    /// Whether a value is made, at whatever remove, from energies or virials: a step at which it is looked at
    /// must tally them. A fix or an output that looks at values says so before the step.
    pub fn needs_tally(&self, reference: &Reference) -> bool {
        let mut open = vec![reference.clone()];
        let mut seen = Vec::new();
        while let Some(Reference { kind, id, .. }) = open.pop() {
            if seen.contains(&(kind, id.clone())) {
                continue;
            }
            match kind {
                Kind::Compute => {
                    let Some(compute) = self.computes.get(&id) else { continue };
                    if compute.tallies() {
                        return true;
                    }
                    open.extend(compute.inputs());
                }
                Kind::Variable => {
                    let (keywords, references) = self.script.variables.asks(&id);
                    if !keywords.into_iter().all(is_plain) {
                        return true;
                    }
                    open.extend(references);
                }
                // What fixes have to say is there at every step.
                Kind::Fix => {}
            }
            seen.push((kind, id));
        }
        false
    }
}
