//! `compute cluster/atom`: clusters of atoms of a group that hang together by distances below a cutoff. An atom's
//! value is the smallest ID in its cluster; 0 outside of the group. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

struct ClusterAtom {
    header: Header,
    cutoff: f64,
}

/// Takes the cutoff distance.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    Ok(Box::new(ClusterAtom { header, cutoff: args.not_negative("the cutoff distance")? }))
}

/// The root of a tree, to which the nodes on the way are brought nearer.
fn root(parent: &mut [u32], mut i: usize) -> usize {
    while parent[i] as usize != i {
        parent[i] = parent[parent[i] as usize];
        i = parent[i] as usize;
    }
    i
}

impl Compute for ClusterAtom {
    header!();

    fn shape(&self) -> Shape {
        Shape::per_atom(0)
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let atoms = system.atoms()?;
        let neighbors = Neighbors::new(system, self.cutoff)?;
        let group = self.header.group;
        let inside = |i: usize| atoms.mask[i] & group != 0;
        let earlier = |i: usize| {
            let mut list = Vec::new();
            if inside(i) {
                neighbors.visit(i, |j, _, _| {
                    if j < i && inside(j) {
                        list.push(j);
                    }
                });
            }
            list
        };
        let bonds: Vec<Vec<usize>> = (0..atoms.len()).into_par_iter().map(earlier).collect();
        let mut parent: Vec<u32> = (0..atoms.len() as u32).collect();
        for (i, others) in bonds.iter().enumerate() {
            for &j in others {
                let (a, b) = (root(&mut parent, i), root(&mut parent, j));
                // The root of a tree is its atom with the smallest ID.
                let (low, high) = if atoms.tag[a] < atoms.tag[b] { (a, b) } else { (b, a) };
                parent[high] = low as u32;
            }
        }
        let value = |i: usize| if inside(i) { f64::from(atoms.tag[root(&mut parent, i)]) } else { 0.0 };
        Ok(Values::per_atom(PerAtom::Vector((0..atoms.len()).map(value).collect())))
    }
}
