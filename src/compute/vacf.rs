//! `compute vacf`: the mean of v(t) v(0), from when the compute was defined. Source: LAMMPS manual.

use super::{Compute, Header, Shape, Values, header};
use crate::atoms::{Atoms, ById};
use crate::error::Result;
use crate::parallel;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct Vacf {
    header: Header,
    /// Velocities at first by atom ID.
    origin: ById<[f64; 3]>,
}

/// Takes no further words.
pub(super) fn new(header: Header, state: &State, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let system = state.now();
    let atoms = system.atoms()?;
    let members = system.indices(header.group, None)?;
    let origin = members.into_iter().map(|i| (atoms.tag[i], atoms.v[i])).collect();
    Ok(Box::new(Vacf { header, origin }))
}

impl Compute for Vacf {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(4)
    }

    fn welcome(&mut self, new: &Atoms) {
        let members = (0..new.len()).filter(|&i| new.mask[i] & self.header.group != 0);
        self.origin.extend(members.map(|i| (new.tag[i], new.v[i])));
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        let members = system.indices(self.header.group, None)?;
        let origin = &self.origin;
        let sum = parallel::sum(&members, |i| {
            let before = origin.get(atoms.tag[i]).copied().unwrap_or_default();
            let [x, y, z] = std::array::from_fn(|d| atoms.v[i][d] * before[d]);
            [x, y, z, x + y + z]
        });
        let count = members.len() as f64;
        Ok(Values::vector(sum.map(|sum| if count > 0.0 { sum / count } else { 0.0 }).to_vec()))
    }
}
