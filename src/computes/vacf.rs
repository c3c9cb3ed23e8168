//! `compute vacf`: the mean of v(t) v(0), from when the compute was defined. Source: LAMMPS manual.

use super::msd::{means, not_its_numbers};
use crate::base::error::Result;
use crate::engine::analysis::group_sums::{ReferenceValues, SumTerm};
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct Vacf {
    header: Header,
    /// Velocities at first by atom ID.
    origin: ReferenceValues,
}

/// Takes no further words.
pub(crate) fn new(header: Header, session: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let system = session.now();
    let atoms = system.atoms()?;
    let members = system.indices(header.group, None)?;
    let origin = ReferenceValues::new(members.into_iter().map(|i| (atoms.tag[i], atoms.v[i])));
    Ok(Box::new(Vacf { header, origin }))
}

impl Compute for Vacf {
    header!();

    fn get_ready(&self, system: &Snapshot<'_>) -> Result<()> {
        system.prepare(&[&SumTerm::VELOCITY_PRODUCT])
    }

    fn shape(&self) -> Shape {
        Shape::vector(4)
    }

    fn renumber(&mut self, ids: &[(u32, u32)]) {
        self.origin.renumber(ids);
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.origin.numbers())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.origin = ReferenceValues::of_numbers(numbers).ok_or_else(not_its_numbers)?;
        Ok(())
    }

    fn atoms_added(&mut self, new: &Atoms) {
        let members = (0..new.len()).filter(|&i| new.mask[i] & self.header.group != 0);
        self.origin.extend(members.map(|i| (new.tag[i], new.v[i])));
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let members = system.of_group(self.header.group, None);
        let sums = members.survey(&SumTerm::VELOCITY_PRODUCT, [0.0; 3], Some(&self.origin))?;
        Ok(means(sums.vector(), sums.count))
    }
}
