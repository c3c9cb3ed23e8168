//! `compute property/atom`: properties of atoms as values per atom. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::base::names::is_custom;
use crate::script::Args;
use crate::script::atom_expr::AtomExpr;
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct PropertyAtom {
    header: Header,
    names: Vec<String>,
}

/// What can be asked for.
const NAMES: &str =
    "id mol type mass proc x y z xs ys zs xu yu zu ix iy iz vx vy vz fx fy fz q radius diameter";

/// What LAMMPS has besides.
const OTHERS: &str = "mux muy muz mu spx spy spz sp fmx fmy fmz nbonds omegax omegay \
    omegaz angmomx angmomy angmomz shapex shapey shapez quatw quati quatj quatk tqx tqy tqz";

/// Takes the names of the properties.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut names = Vec::new();
    while names.is_empty() || !args.is_empty() {
        let word = args.word("a property of atoms")?;
        if OTHERS.split_whitespace().any(|name| name == word.text) {
            return Err(args.unsupported(word, "property"));
        }
        if !is_custom(&word.text) && !NAMES.split_whitespace().any(|name| name == word.text) {
            return Err(args.unknown(word, "property", NAMES.split_whitespace()));
        }
        session.check_property(&word.text).map_err(|error| args.place(word, error))?;
        names.push(word.text.clone());
    }
    Ok(Box::new(PropertyAtom { header, names }))
}

impl Compute for PropertyAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(self.names.len())
    }

    fn recipe(&self, system: &Snapshot<'_>, column: Option<usize>) -> Option<AtomExpr> {
        let name = self.names.get(column.unwrap_or(1) - 1)?;
        Some(system.property_recipe(name)?.within(self.header.group))
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mask = &system.atoms()?.mask;
        let column = |name: &String| {
            let mut column = system.property(name)?;
            column
                .iter_mut()
                .zip(mask)
                .filter(|(_, mask)| **mask & self.header.group == 0)
                .for_each(|(x, _)| *x = 0.0);
            Ok(column)
        };
        let columns = self.names.iter().map(column).collect::<Result<_>>()?;
        Ok(Values::per_atom(PerAtom::from_columns(columns)))
    }
}
