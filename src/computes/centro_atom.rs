//! `compute centro/atom`: how far an atom is from being a centre of symmetry of its nearest neighbours.
//! Source: LAMMPS manual; Kelchner, Plimpton and Hamilton, Phys. Rev. B 58, 11085 (1998).

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

struct CentroAtom {
    header: Header,
    /// How many neighbours count: even.
    nearest: usize,
    /// Whether the axes of the crystal around the atom are shown, too.
    axes: bool,
}

/// Takes `fcc`, `bcc` or an even number of neighbours.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
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
    let mut axes = false;
    while !args.is_empty() {
        args.one_of("keyword of compute centro/atom", &[("axes", ())])?;
        axes = args.yes_no()?;
    }
    Ok(Box::new(CentroAtom { header, nearest, axes }))
}

/// From the separations of all neighbours, of which the `nearest` count, and the cutoff: the parameter, and three axes of the
/// crystal. Two are the ways between the neighbours of the pairs that cancel best, the third is normal to them. 0 where
/// there are too few neighbours.
fn symmetry(nearest: usize, mut around: Vec<([f64; 3], f64)>, cutoff: f64) -> [f64; COLUMNS] {
    if around.len() < nearest {
        return [0.0; COLUMNS];
    }
    around.select_nth_unstable_by(nearest - 1, |a, b| a.1.total_cmp(&b.1));
    let mut pairs = Vec::with_capacity(nearest * (nearest - 1) / 2);
    let mut best = [(cutoff * cutoff, [0.0; 3]); 2];
    for (k, (a, _)) in around[..nearest].iter().enumerate() {
        for (b, _) in &around[k + 1..nearest] {
            let square = (0..3).map(|d| (a[d] + b[d]) * (a[d] + b[d])).sum::<f64>();
            pairs.push(square);
            let way = || (square, std::array::from_fn(|d| a[d] - b[d]));
            if square < best[0].0 {
                best = [way(), best[0]];
            } else if square < best[1].0 {
                best[1] = way();
            }
        }
    }
    pairs.select_nth_unstable_by(nearest / 2 - 1, f64::total_cmp);
    // In order, so that the sum does not depend on the order of the neighbours.
    pairs[..nearest / 2].sort_unstable_by(f64::total_cmp);
    let [a, b] = best.map(|(_, way)| way);
    let normal = std::array::from_fn(|d| a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
    let mut row = [0.0; COLUMNS];
    row[0] = pairs[..nearest / 2].iter().sum();
    for (place, axis) in row[1..].chunks_exact_mut(3).zip([a, b, normal]) {
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            place.copy_from_slice(&axis.map(|x: f64| x / length));
        }
    }
    row
}

/// The parameter and three axes.
const COLUMNS: usize = 10;

impl Compute for CentroAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(if self.axes { COLUMNS } else { 0 })
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mask = &system.atoms()?.mask;
        let cutoff = pair_cutoff(system)?;
        let neighbors = Neighbors::new(system, cutoff)?;
        let likely = neighbors.reach_of(1.5 * self.nearest as f64);
        let (group, nearest) = (self.header.group, self.nearest);
        let value = |i: usize| {
            if mask[i] & group == 0 {
                return [0.0; COLUMNS];
            }
            let around = neighbors.around(likely, i, |around, _| around.len() >= nearest);
            symmetry(nearest, around, cutoff)
        };
        let rows: Vec<[f64; COLUMNS]> = (0..mask.len()).into_par_iter().map(value).collect();
        let columns = if self.axes { COLUMNS } else { 1 };
        let column = |k: usize| rows.iter().map(|row| row[k]).collect();
        Ok(Values::per_atom(PerAtom::from_columns((0..columns).map(column).collect())))
    }
}
