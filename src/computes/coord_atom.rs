//! `compute coord/atom`: how many atoms lie within a distance of each atom, or how many of these have neighbours that lie
//! alike. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::model::atoms::type_range;
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;
use std::ops::{Range, RangeInclusive};

struct CoordAtom {
    header: Header,
    /// None: the longest cutoff of the pair style.
    cutoff: Option<f64>,
    alike: Option<Alike>,
    /// The group of the atoms that are counted.
    others: u32,
    /// The types that are counted, column by column.
    types: Vec<RangeInclusive<usize>>,
}

/// Which neighbours count by their own neighbours: those whose components of a `compute orientorder/atom` have a scalar
/// product with the atom's that is large enough.
struct Alike {
    order: String,
    /// Columns of the components.
    columns: Range<usize>,
    threshold: f64,
}

impl Alike {
    fn read(session: &Session, args: &mut Args<'_>) -> Result<(Self, Option<f64>)> {
        let word = args.word("the ID of a compute of style orientorder/atom")?;
        let compute = session.computes.get(&word.text);
        let compute = compute.ok_or_else(|| args.unknown(word, "compute", session.computes.ids()))?;
        let Some((columns, cutoff)) = compute.orientation() else {
            let message = format!("compute {} is not of style orientorder/atom", word.text);
            return Err(args.error(word, message));
        };
        if columns.is_empty() {
            let error = args.error(word, format_args!("compute {} has no components", word.text));
            return Err(error.help("it has with its keyword `components`"));
        }
        let place = args.peek();
        let threshold = args.f64("a threshold between -1 and 1")?;
        match place {
            Some(place) if threshold.abs() >= 1.0 => {
                Err(args.error(place, format_args!("{threshold} is not between -1 and 1")))
            }
            _ => Ok((Alike { order: word.text.clone(), columns, threshold }, cutoff)),
        }
    }
}

/// Takes `cutoff R [group ID] [TYPES ...]` or `orientorder ORDER-ID THRESHOLD`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if args.one_of("way to count neighbours", &[("cutoff", false), ("orientorder", true)])? {
        let (alike, cutoff) = Alike::read(session, args)?;
        let types = vec![1..=session.types()];
        return Ok(Box::new(CoordAtom { header, cutoff, alike: Some(alike), others: 1, types }));
    }
    let cutoff = Some(args.not_negative("the cutoff distance")?);
    let others = if args.accept("group") { session.system.groups.arg(args)? } else { 1 };
    let mut types = Vec::new();
    while !args.is_empty() {
        types.push(type_range(args, session.types(), &session.system.labels.atom)?);
    }
    if types.is_empty() {
        types.push(1..=session.types());
    }
    Ok(Box::new(CoordAtom { header, cutoff, alike: None, others, types }))
}

impl Compute for CoordAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(self.types.len())
    }

    fn inputs(&self) -> Vec<Reference> {
        let order = self.alike.iter().map(|alike| alike.order.clone());
        order.map(|id| Reference { kind: Kind::Compute, id, index: Vec::new() }).collect()
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        let order = self.alike.as_ref().map(|alike| system.evaluate(&alike.order)).transpose()?;
        let components = match (&self.alike, order.as_ref().and_then(|order| order.atoms.as_ref())) {
            (Some(alike), Some(PerAtom::Array(columns))) => &columns[alike.columns.clone()],
            _ => &[],
        };
        let threshold = self.alike.as_ref().map_or(f64::NEG_INFINITY, |alike| alike.threshold);
        let alike = |i: usize, j: usize| {
            components.is_empty()
                || components.iter().map(|column| column[i] * column[j]).sum::<f64>() > threshold
        };
        let neighbors = Neighbors::new(system, self.cutoff.map_or_else(|| pair_cutoff(system), Ok)?)?;
        let (group, others, types) = (self.header.group, self.others, &self.types);
        let count = |i: usize| {
            let mut counts = vec![0.0; types.len()];
            if atoms.mask[i] & group != 0 {
                neighbors.visit(i, |j, _, _| {
                    if atoms.mask[j] & others != 0 && alike(i, j) {
                        let kind = atoms.kind[j] as usize;
                        let columns = counts.iter_mut().zip(types);
                        columns
                            .filter(|(_, types)| types.contains(&kind))
                            .for_each(|(count, _)| *count += 1.0);
                    }
                });
            }
            counts
        };
        let rows: Vec<Vec<f64>> = (0..atoms.len()).into_par_iter().map(count).collect();
        let column = |k: usize| rows.iter().map(|row| row[k]).collect();
        Ok(Values::per_atom(PerAtom::from_columns((0..types.len()).map(column).collect())))
    }
}
