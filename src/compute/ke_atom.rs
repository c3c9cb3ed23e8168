//! `compute ke/atom`: the kinetic energy of each atom of a group. Source: LAMMPS manual.

use super::{Compute, Header, PerAtom, Shape, Values, header};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct KeAtom {
    header: Header,
}

/// Takes no further words.
pub(super) fn new(header: Header, _: &State, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(KeAtom { header }))
}

impl Compute for KeAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let (atoms, mvv2e) = (system.atoms()?, system.state.units.mvv2e);
        let mut energies = vec![0.0; atoms.len()];
        for i in system.indices(self.header.group, None)? {
            let v2: f64 = atoms.v[i].iter().map(|v| v * v).sum();
            energies[i] = 0.5 * mvv2e * system.mass(atoms.kind[i]) * v2;
        }
        Ok(Values::per_atom(PerAtom::Vector(energies)))
    }
}
