//! `compute property/local`: IDs and types of the atoms of each bond, of each pair within the cutoff, or of each pair of neighbours within
//! cutoff and skin, as local values. Source: LAMMPS manual. The first atom of a pair is that with the smaller ID; neighbours are those
//! of this step, not of the step at which lists were built.

use super::local_rows::{bonds, pairs};
use super::pair_local::cutoff_type;
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

/// What there are many of.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Neighbors,
    Pairs,
    Bonds,
}

/// Values by name: of what, and their places among both IDs, both types and the type of the bond.
const NAMES: [(&str, (Of, usize)); 11] = [
    ("natom1", (Of::Neighbors, 0)),
    ("natom2", (Of::Neighbors, 1)),
    ("ntype1", (Of::Neighbors, 2)),
    ("ntype2", (Of::Neighbors, 3)),
    ("patom1", (Of::Pairs, 0)),
    ("patom2", (Of::Pairs, 1)),
    ("ptype1", (Of::Pairs, 2)),
    ("ptype2", (Of::Pairs, 3)),
    ("batom1", (Of::Bonds, 0)),
    ("batom2", (Of::Bonds, 1)),
    ("btype", (Of::Bonds, 4)),
];

struct PropertyLocal {
    header: Header,
    of: Of,
    values: Vec<usize>,
}

/// Takes the names of values of one kind, and `cutoff type`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut values = Vec::new();
    let mut of = None;
    while of.is_none() || !args.is_empty() {
        if of.is_some() && args.accept("cutoff") {
            cutoff_type(args)?;
            continue;
        }
        let word = args.peek();
        let others = ["aatom", "atype", "datom", "dtype", "iatom", "itype"];
        if let Some(word) = word.filter(|word| others.iter().any(|other| word.text.starts_with(other))) {
            return Err(args.unsupported(word, "value"));
        }
        let (kind, value) = args.one_of("value of pairs or bonds", &NAMES)?;
        match word {
            Some(word) if of.is_some_and(|of| of != kind) => {
                let error = args.error(word, "values of pairs, neighbours and bonds have rows of their own");
                return Err(error.help("write a compute for each"));
            }
            _ => of = Some(kind),
        }
        values.push(value);
    }
    Ok(Box::new(PropertyLocal { header, of: of.unwrap_or(Of::Pairs), values }))
}

impl Compute for PropertyLocal {
    header!();

    fn shape(&self) -> Shape {
        Shape { local: Some(self.values.len()), ..Shape::default() }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (session, group) = (system.session, self.header.group);
        let rows: Vec<(u32, [usize; 2])> = match self.of {
            Of::Bonds => bonds(system, group)?.iter().map(|(bond, row)| (bond.kind, row.atoms)).collect(),
            of => {
                let pair = session.force_field.given_pair()?;
                let skin = if of == Of::Neighbors { session.neighbor.skin } else { 0.0 };
                let cutoffs: Vec<f64> =
                    pair.resolve()?.cutoffs().iter().map(|cutoff| cutoff + skin).collect();
                let longest = cutoffs.iter().copied().fold(0.0, f64::max);
                let reach: Vec<f64> = cutoffs.iter().map(|cutoff| cutoff * cutoff).collect();
                let rows = pairs(system, group, &reach, &Neighbors::new(system, longest)?)?;
                rows.into_iter().map(|row| (0, row.atoms)).collect()
            }
        };
        let atoms = system.atoms()?;
        let value = |(kind, [i, j]): &(u32, [usize; 2]), k: usize| {
            f64::from([atoms.tag[*i], atoms.tag[*j], atoms.kind[*i], atoms.kind[*j], *kind][k])
        };
        let local = self.values.iter().map(|&k| rows.iter().map(|row| value(row, k)).collect()).collect();
        Ok(Values { local, ..Values::default() })
    }
}
