//! `compute pe/atom`: the potential energy of each atom, half of that of its pairs and bonds. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::base::parallel;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct PeAtom {
    header: Header,
    /// Whether pairs count.
    pair: bool,
    /// Whether bonds do.
    bond: bool,
}

/// Takes which parts count: all by default.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let [pair, bond] = crate::session::compute::energy::parts(args)?;
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

    fn recipe(&self, _: &Snapshot<'_>, _: Option<usize>) -> Option<AtomExpr> {
        let part = |counts: bool, slot: usize| match counts {
            true => AtomExpr::own(AtomProperty::Tally(slot)),
            false => AtomExpr::number(0.0),
        };
        Some((part(self.pair, 0) + part(self.bond, 7)).within(self.header.group))
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        let tallies = if self.tallies() { Some(system.tallies()?) } else { None };
        let (group, pair, bond) = (self.header.group, self.pair, self.bond);
        let energies = parallel::map(atoms.len(), |i| match tallies {
            Some(tallies) if atoms.mask[i] & group != 0 => {
                let part = |counts: bool, slot: usize| if counts { tallies[i][slot] } else { 0.0 };
                part(pair, 0) + part(bond, 7)
            }
            _ => 0.0,
        });
        Ok(Values::per_atom(PerAtom::Vector(energies)))
    }
}
