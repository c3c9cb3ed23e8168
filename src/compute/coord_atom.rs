//! `compute coord/atom`: how many atoms lie within a distance of each atom. Source: LAMMPS manual.

use super::neighbors::Neighbors;
use super::{Compute, Header, PerAtom, Shape, Values, header};
use crate::atoms::type_range;
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use rayon::prelude::*;
use std::ops::RangeInclusive;

struct CoordAtom {
    header: Header,
    cutoff: f64,
    /// The group of the atoms that are counted.
    others: u32,
    /// The types that are counted, column by column.
    types: Vec<RangeInclusive<usize>>,
}

/// Takes `cutoff R [group ID] [TYPES ...]`.
pub(super) fn new(header: Header, state: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    if let Some(word) = args.peek().filter(|word| word.text == "orientorder") {
        return Err(args.unsupported(word, "coordination by"));
    }
    args.one_of("way to count neighbours", &[("cutoff", ())])?;
    let cutoff = args.positive("the cutoff distance")?;
    let others = if args.accept("group") { state.groups.arg(args)? } else { 1 };
    let mut types = Vec::new();
    while !args.is_empty() {
        types.push(type_range(args, state.types())?);
    }
    if types.is_empty() {
        types.push(1..=state.types());
    }
    Ok(Box::new(CoordAtom { header, cutoff, others, types }))
}

impl Compute for CoordAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(self.types.len())
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        let neighbors = Neighbors::new(system, self.cutoff)?;
        let (group, others, types) = (self.header.group, self.others, &self.types);
        let count = |i: usize| {
            let mut counts = vec![0.0; types.len()];
            if atoms.mask[i] & group != 0 {
                neighbors.visit(i, |j, _, _| {
                    if atoms.mask[j] & others != 0 {
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
