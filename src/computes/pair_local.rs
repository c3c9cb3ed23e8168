//! `compute pair/local`: distance, energy and force of each pair of atoms of a group within the cutoff of its types, as local values.
//! Source: LAMMPS manual. The first atom of a pair is that with the smaller ID.

use super::local_rows::{Row, pairs};
use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

/// What there is of a pair, as the script calls it.
const NAMES: [&str; 9] = ["dist", "dx", "dy", "dz", "eng", "force", "fx", "fy", "fz"];

/// The place in [`NAMES`] from which on values depend on the pair style, not on places alone.
const FIRST_OF_FORCES: usize = 4;

struct PairLocal {
    header: Header,
    /// Places in [`NAMES`].
    values: Vec<usize>,
}

/// Takes the names of values, and `cutoff type`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let names: Vec<_> = NAMES.iter().copied().zip(0..).collect();
    let mut values = Vec::new();
    while values.is_empty() || !args.is_empty() {
        let word = args.peek();
        if let Some(word) =
            word.filter(|word| word.text.strip_prefix('p').is_some_and(|n| n.parse::<u32>().is_ok()))
        {
            return Err(args.unsupported(word, "value"));
        }
        if !values.is_empty() && args.accept("cutoff") {
            cutoff_type(args)?;
            continue;
        }
        let value = args.one_of("value of pairs", &names)?;
        if let Some(word) = word.filter(|_| value >= FIRST_OF_FORCES)
            && let Some(style) = session.force_field.pair.as_ref().and_then(|pair| pair.of_more_bodies())
        {
            let message =
                format!("forces of pair_style {style} depend on more than types and charges of two atoms");
            return Err(args
                .error(word, message)
                .help("dist, dx, dy and dz are there with every pair style"));
        }
        values.push(value);
    }
    Ok(Box::new(PairLocal { header, values }))
}

/// Takes `type`: how far pairs reach is a matter of types here.
pub(super) fn cutoff_type(args: &mut Args<'_>) -> Result<()> {
    match args.peek() {
        Some(word) if word.text == "radius" => Err(args.unsupported(word, "cutoff")),
        _ => args.one_of("cutoff", &[("type", ())]),
    }
}

impl Compute for PairLocal {
    header!();

    fn shape(&self) -> Shape {
        Shape { local: Some(self.values.len()), ..Shape::default() }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (atoms, session) = (system.atoms()?, system.session);
        let pair = session.force_field.given_pair()?;
        let asks_forces = self.values.iter().any(|&value| value >= FIRST_OF_FORCES);
        let resolved = match asks_forces {
            true => pair.resolve_two_body("a value of compute pair/local other than dist, dx, dy and dz")?,
            false => pair.resolve()?,
        };
        let reach: Vec<f64> = resolved.cutoffs().iter().map(|cutoff| cutoff * cutoff).collect();
        let neighbors = Neighbors::new(system, pair_cutoff(system)?)?;
        let unit = session.system.units.qqr2e / session.force_field.dielectric;
        let rows = pairs(system, self.header.group, &reach, &neighbors)?;
        let values = |row: &Row| {
            let [i, j] = row.atoms;
            let kinds = [i, j].map(|i| atoms.kind[i] as usize);
            let qq = unit * atoms.charge[i] * atoms.charge[j];
            let (fpair, energy) = match asks_forces {
                true => resolved.weighted(kinds, row.rsq, neighbors.weights(i, j), qq),
                false => (0.0, 0.0),
            };
            let ([x, y, z], r) = (row.way, row.rsq.sqrt());
            [r, x, y, z, energy, r * fpair, x * fpair, y * fpair, z * fpair]
        };
        let all: Vec<[f64; 9]> = rows.par_iter().map(values).collect();
        let local = self.values.iter().map(|&k| all.iter().map(|row| row[k]).collect()).collect();
        Ok(Values { local, ..Values::default() })
    }
}
