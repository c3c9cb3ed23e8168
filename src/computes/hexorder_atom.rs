//! `compute hexorder/atom`: how well the neighbours of each atom are arranged as a polygon in the plane: the mean of exp(i n theta) over the
//! nearest ones, theta being the angle of the way from them to the atom with the x axis. Source: LAMMPS manual. With fewer neighbours than
//! wanted it is 0.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header, pair_cutoff};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

struct HexOrderAtom {
    header: Header,
    degree: f64,
    /// How many neighbours count; none: all.
    nearest: Option<usize>,
    /// Instead of the longest cutoff of the pair style.
    cutoff: Option<f64>,
}

/// Takes `degree N`, `nnn K` or `NULL`, `cutoff R`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let (mut degree, mut nearest, mut cutoff) = (6, Some(6), None);
    let keywords = ["degree", "nnn", "cutoff"];
    while !args.is_empty() {
        match args.one_of("keyword of compute hexorder/atom", &keywords.map(|name| (name, name)))? {
            "degree" => degree = args.count("the degree", 0)?,
            "nnn" if args.accept("NULL") => nearest = None,
            "nnn" => nearest = Some(args.count("a number of neighbours, or NULL", 1)? as usize),
            _ => cutoff = Some(args.positive("the cutoff distance")?),
        }
    }
    Ok(Box::new(HexOrderAtom { header, degree: degree as f64, nearest, cutoff }))
}

impl Compute for HexOrderAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(2)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        let neighbors = Neighbors::new(system, self.cutoff.map_or_else(|| pair_cutoff(system), Ok)?)?;
        let (group, degree, nearest) = (self.header.group, self.degree, self.nearest);
        let order = |i: usize| {
            let mut around = Vec::new();
            if atoms.mask[i] & group != 0 {
                neighbors.visit(i, |_, way, rsq| around.push((way, rsq)));
            }
            let count = nearest.unwrap_or(around.len());
            if count == 0 || around.len() < count {
                return [0.0; 2];
            }
            around.sort_unstable_by(|a, b| a.1.total_cmp(&b.1));
            let sum = around[..count].iter().fold([0.0; 2], |sum, (way, _)| {
                let (sine, cosine) = (degree * way[1].atan2(way[0])).sin_cos();
                [sum[0] + cosine, sum[1] + sine]
            });
            sum.map(|sum| sum / count as f64)
        };
        let orders: Vec<[f64; 2]> = (0..atoms.len()).into_par_iter().map(order).collect();
        let column = |k: usize| orders.iter().map(|order| order[k]).collect();
        Ok(Values::per_atom(PerAtom::Array(vec![column(0), column(1)])))
    }
}
