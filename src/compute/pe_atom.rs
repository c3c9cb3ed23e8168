//! `compute pe/atom`: the potential energy of each atom, half of that of its pairs. Source: LAMMPS manual.

use super::{Compute, Header, PerAtom, Shape, Values, header};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct PeAtom {
    header: Header,
    /// Whether pairs count.
    pair: bool,
}

/// Takes which parts count: all by default.
pub(super) fn new(header: Header, _: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut pair = args.is_empty();
    while !args.is_empty() {
        pair |= args.one_of("part of the energy", &super::energy::PARTS)?;
    }
    Ok(Box::new(PeAtom { header, pair }))
}

impl Compute for PeAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn tallies(&self) -> bool {
        self.pair
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let mut energies = vec![0.0; system.atoms()?.len()];
        if self.pair {
            let tallies = system.tallies()?;
            for i in system.indices(self.header.group, None)? {
                energies[i] = tallies[i][0];
            }
        }
        Ok(Values::per_atom(PerAtom::Vector(energies)))
    }
}
