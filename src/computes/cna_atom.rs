//! `compute cna/atom`: what crystal an atom's neighbourhood looks like, by common neighbours: 1 fcc, 2 hcp, 3 bcc,
//! 4 icosahedral, 5 other, 0 outside of the group. Source: LAMMPS manual; Faken and Jonsson, Comput. Mater. Sci.
//! 2, 279 (1994); Tsuzuki, Branicio and Rino, Comput. Phys. Commun. 177, 518 (2007).

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct CnaAtom {
    header: Header,
    cutoff: f64,
}

/// Takes the cutoff distance.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(CnaAtom { header, cutoff: args.not_negative("the cutoff distance")? }))
}

/// The pattern of an atom with these neighbours.
fn pattern(around: &[[f64; 3]], limit: f64) -> f64 {
    if around.len() != 12 && around.len() != 14 {
        return 5.0;
    }
    let bonded = |j: usize, k: usize| {
        let rsq: f64 = (0..3).map(|d| (around[j][d] - around[k][d]).powi(2)).sum();
        j != k && rsq < limit
    };
    // Common neighbours, bonds among them, the most and the least bonds that one of them has.
    let signature = |j: usize| {
        let common: Vec<usize> = (0..around.len()).filter(|&k| bonded(j, k)).collect();
        let bonds = common.iter().map(|&k| common.iter().filter(|&&l| bonded(k, l)).count());
        let bonds: Vec<usize> = bonds.collect();
        let (most, least) = (bonds.iter().max().copied(), bonds.iter().min().copied());
        [common.len(), bonds.iter().sum::<usize>() / 2, most.unwrap_or(0), least.unwrap_or(0)]
    };
    let signatures: Vec<[usize; 4]> = (0..around.len()).map(signature).collect();
    let count = |which: [usize; 4]| signatures.iter().filter(|signature| **signature == which).count();
    match around.len() {
        12 if count([4, 2, 1, 1]) == 12 => 1.0,
        12 if count([4, 2, 1, 1]) == 6 && count([4, 2, 2, 0]) == 6 => 2.0,
        12 if count([5, 5, 2, 2]) == 12 => 4.0,
        14 if count([4, 4, 2, 2]) == 6 && count([6, 6, 2, 2]) == 8 => 3.0,
        _ => 5.0,
    }
}

impl Compute for CnaAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let mask = &system.atoms()?.mask;
        let neighbors = Neighbors::new(system, self.cutoff)?;
        let limit = self.cutoff * self.cutoff;
        Ok(Values::of_group(mask, self.header.group, |i| {
            let mut around = Vec::new();
            neighbors.visit(i, |_, r, _| around.push(r));
            pattern(&around, limit)
        }))
    }
}
