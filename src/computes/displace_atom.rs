//! `compute displace/atom`: how far each atom has come since the compute was defined: dx, dy, dz and the
//! distance. Source: LAMMPS manual.

use super::msd::Origin;
use crate::base::error::Result;
use crate::base::parallel;
use crate::model::atoms::Atoms;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct DisplaceAtom {
    header: Header,
    origin: Origin,
}

/// Takes no further words.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if let Some(word) = args.peek().filter(|word| word.text == "refresh") {
        return Err(args.unsupported(word, "keyword"));
    }
    let origin = Origin::new(header.group, &session.now())?;
    Ok(Box::new(DisplaceAtom { header, origin }))
}

impl Compute for DisplaceAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(4)
    }

    fn renumber(&mut self, ids: &[(u32, u32)]) {
        self.origin.renumber(ids);
    }

    fn restart_state(&self) -> Option<Vec<f64>> {
        Some(self.origin.numbers())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        self.origin = Origin::of_numbers(numbers)?;
        Ok(())
    }

    fn atoms_added(&mut self, new: &Atoms) {
        self.origin.add(self.header.group, new);
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, domain) = (system.atoms()?, system.domain()?);
        let (group, origin) = (self.header.group, &self.origin);
        let moved = parallel::map(atoms.len(), |i| match atoms.mask[i] & group {
            0 => [0.0; 3],
            _ => origin.displacement(i, atoms, domain),
        });
        let axis = |d: usize| parallel::map(moved.len(), |i| moved[i][d]);
        let far = parallel::map(moved.len(), |i| moved[i].iter().map(|x| x * x).sum::<f64>().sqrt());
        let columns = vec![axis(0), axis(1), axis(2), far];
        Ok(Values::per_atom(PerAtom::Array(columns)))
    }
}
