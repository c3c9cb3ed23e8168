//! `compute centro/atom`: how far an atom is from being a centre of symmetry of its nearest neighbours.
//! Source: LAMMPS manual; Kelchner, Plimpton and Hamilton, Phys. Rev. B 58, 11085 (1998).

use super::neighbors::Neighbors;
use super::{Compute, Header, PerAtom, Shape, Values, header, pair_cutoff};
use crate::error::Result;
use crate::script::Args;
use crate::state::State;
use crate::system::System;
use rayon::prelude::*;

struct CentroAtom {
    header: Header,
    /// How many neighbours count: even.
    nearest: usize,
}

/// Takes `fcc`, `bcc` or an even number of neighbours.
pub(super) fn new(header: Header, _: &State, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let what = "fcc, bcc or a number of neighbours";
    let word = args.word(what)?;
    let nearest = match word.text.as_str() {
        "fcc" => 12,
        "bcc" => 8,
        text => text.parse().map_err(|_| {
            args.error(word, format_args!("'{text}' is not {what}")).label(format!("expected {what}"))
        })?,
    };
    if nearest == 0 || nearest % 2 != 0 {
        return Err(args.error(word, "the number of neighbours must be even and not 0"));
    }
    while let Some(word) = args.peek() {
        args.one_of("keyword of compute centro/atom", &[("axes", ())])?;
        if args.yes_no()? {
            return Err(args.unsupported(word, "keyword"));
        }
    }
    Ok(Box::new(CentroAtom { header, nearest }))
}

/// From the separations of all neighbours, of which the `nearest` count; 0 where there are too few.
fn symmetry(nearest: usize, mut around: Vec<([f64; 3], f64)>) -> f64 {
    if around.len() < nearest {
        return 0.0;
    }
    around.select_nth_unstable_by(nearest - 1, |a, b| a.1.total_cmp(&b.1));
    let mut pairs = Vec::with_capacity(nearest * (nearest - 1) / 2);
    for (k, (a, _)) in around[..nearest].iter().enumerate() {
        let square = |b: &[f64; 3]| (0..3).map(|d| (a[d] + b[d]) * (a[d] + b[d])).sum::<f64>();
        pairs.extend(around[k + 1..nearest].iter().map(|(b, _)| square(b)));
    }
    pairs.select_nth_unstable_by(nearest / 2 - 1, f64::total_cmp);
    // In order, so that the sum does not depend on the order of the neighbours.
    pairs[..nearest / 2].sort_unstable_by(f64::total_cmp);
    pairs[..nearest / 2].iter().sum()
}

impl Compute for CentroAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn evaluate(&self, system: &System<'_>) -> Result<Values> {
        let mask = &system.atoms()?.mask;
        let cutoff = pair_cutoff(system)?;
        let neighbors = Neighbors::new(system, cutoff)?;
        let likely = neighbors.reach_of(1.5 * self.nearest as f64);
        let (group, nearest) = (self.header.group, self.nearest);
        let value = |i: usize| {
            if mask[i] & group == 0 {
                return 0.0;
            }
            let mut around = Vec::with_capacity(64);
            // The nearest are found in a smaller sphere nearly always.
            for reach in [likely, cutoff] {
                around.clear();
                neighbors.visit_within(reach, i, |_, r, rsq| around.push((r, rsq)));
                if around.len() >= nearest {
                    break;
                }
            }
            symmetry(nearest, around)
        };
        Ok(Values::per_atom(PerAtom::Vector((0..mask.len()).into_par_iter().map(value).collect())))
    }
}
