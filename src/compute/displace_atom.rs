//! `compute displace/atom`: how far each atom has come since the compute was defined: dx, dy, dz and the
//! distance. Source: LAMMPS manual.

use super::msd::Origin;
use super::{Compute, Header, PerAtom, Shape, Values, header};
use crate::atoms::Atoms;
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;

struct DisplaceAtom {
    header: Header,
    origin: Origin,
}

/// Takes no further words.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if let Some(word) = args.peek().filter(|word| word.text == "refresh") {
        return Err(args.unsupported(word, "keyword"));
    }
    let origin = Origin::new(header.group, &state.now())?;
    Ok(Box::new(DisplaceAtom { header, origin }))
}

impl Compute for DisplaceAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(4)
    }

    fn welcome(&mut self, new: &Atoms) {
        self.origin.add(self.header.group, new);
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let mut columns = vec![vec![0.0; system.atoms()?.len()]; 4];
        for i in system.indices(self.header.group, None)? {
            let moved = self.origin.displacement(i, system)?;
            (0..3).for_each(|d| columns[d][i] = moved[d]);
            columns[3][i] = moved.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        Ok(Values::per_atom(PerAtom::Array(columns)))
    }
}
