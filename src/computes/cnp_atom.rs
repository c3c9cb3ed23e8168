//! `compute cnp/atom`: how far the common neighbours of an atom and each of its neighbours are from lying evenly about both. With n
//! neighbours j of atom i, Q = 1/n sum_j | sum_k (r_ik + r_jk) |^2, k being the neighbours of both and r_ik the way from i to k. It is 0 in
//! fcc and bcc, not in hcp, and 0 outside of the group. Source: LAMMPS manual; Tsuzuki, Branicio and Rino, Comput. Phys. Commun. 177, 518 (2007).

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct CnpAtom {
    header: Header,
    cutoff: f64,
}

/// Takes the cutoff distance.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(CnpAtom { header, cutoff: args.not_negative("the cutoff distance")? }))
}

/// Q of an atom with these neighbours, of which those are neighbours of each other whose distance squared is below `limit`.
fn unevenness(around: &[[f64; 3]], limit: f64) -> f64 {
    let of = |j: usize| {
        let mut sum = [0.0; 3];
        for (k, to) in around.iter().enumerate() {
            let between: [f64; 3] = std::array::from_fn(|d| to[d] - around[j][d]);
            if j != k && between.iter().map(|x| x * x).sum::<f64>() < limit {
                (0..3).for_each(|d| sum[d] += to[d] + between[d]);
            }
        }
        sum.iter().map(|x| x * x).sum::<f64>()
    };
    (0..around.len()).map(of).sum::<f64>() / around.len().max(1) as f64
}

impl Compute for CnpAtom {
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
            unevenness(&around, limit)
        }))
    }
}
