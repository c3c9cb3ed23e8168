//! `compute ke/atom`: the kinetic energy of each atom of a group. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::base::parallel;
use crate::script::Args;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct KeAtom {
    header: Header,
}

/// Takes no further words.
pub(crate) fn new(header: Header, _: &Session, _: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(KeAtom { header }))
}

impl Compute for KeAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn recipe(&self, system: &Snapshot<'_>, _: Option<usize>) -> Option<AtomExpr> {
        let [x, y, z] = AtomExpr::vector(AtomProperty::V).map(AtomExpr::square);
        let factor =
            AtomExpr::number(0.5 * system.session.system.units.mvv2e) * AtomExpr::own(AtomProperty::Mass);
        Some((factor * (x + y + z)).within(self.header.group))
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, mass, mvv2e) = (system.atoms()?, system.masses(), system.session.system.units.mvv2e);
        let energy = |i: usize| {
            let v2: f64 = atoms.v[i].iter().map(|v| v * v).sum();
            0.5 * mvv2e * mass.of(atoms.kind[i]) * v2
        };
        let group = self.header.group;
        let energies = parallel::map(atoms.len(), |i| match atoms.mask[i] & group {
            0 => 0.0,
            _ => energy(i),
        });
        Ok(Values::per_atom(PerAtom::Vector(energies)))
    }
}
