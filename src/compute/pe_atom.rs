//! `compute pe/atom`: the potential energy of each atom, half of that of its pairs and bonds. Source: LAMMPS manual.

use super::{Compute, Header, PerAtom, Shape, Values, header};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct PeAtom {
    header: Header,
    /// Whether pairs count.
    pair: bool,
    /// Whether bonds do.
    bond: bool,
}

/// Takes which parts count: all by default.
pub(super) fn new(header: Header, _: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let [pair, bond] = super::energy::parts(args)?;
    Ok(Box::new(PeAtom { header, pair, bond }))
}

impl Compute for PeAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn tallies(&self) -> bool {
        self.pair || self.bond
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let mut energies = vec![0.0; system.atoms()?.len()];
        if self.pair || self.bond {
            let tallies = system.tallies()?;
            for i in system.indices(self.header.group, None)? {
                let part = |counts: bool, slot: usize| if counts { tallies[i][slot] } else { 0.0 };
                energies[i] = part(self.pair, 0) + part(self.bond, 7);
            }
        }
        Ok(Values::per_atom(PerAtom::Vector(energies)))
    }
}
