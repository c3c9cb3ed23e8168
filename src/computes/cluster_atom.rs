//! Atoms of a group that hang together: by distances below a cutoff (`compute cluster/atom`), by bonds (`compute fragment/atom`), or by either
//! (`compute aggregate/atom`). An atom's value is the smallest ID of those that it hangs together with; 0 outside of the group, and, of
//! fragments, where it has no bond, unless with `single yes`. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::model::atoms::ById;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::neighbors::Neighbors;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use rayon::prelude::*;

struct ClusterAtom {
    header: Header,
    /// None: distances do not matter.
    cutoff: Option<f64>,
    /// Whether bonds matter.
    bonded: bool,
    /// Whether an atom by itself has its own ID.
    single: bool,
}

/// Takes the cutoff distance.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let cutoff = Some(args.not_negative("the cutoff distance")?);
    Ok(Box::new(ClusterAtom { header, cutoff, bonded: false, single: true }))
}

/// Takes the cutoff distance.
pub(crate) fn aggregate(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    needs_bonds(session, args)?;
    let cutoff = Some(args.not_negative("the cutoff distance")?);
    Ok(Box::new(ClusterAtom { header, cutoff, bonded: true, single: true }))
}

/// Takes `single yes|no`.
pub(crate) fn fragment(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    needs_bonds(session, args)?;
    let mut single = false;
    while !args.is_empty() {
        args.one_of("keyword", &[("single", ())])?;
        single = args.yes_no()?;
    }
    Ok(Box::new(ClusterAtom { header, cutoff: None, bonded: true, single }))
}

fn needs_bonds(session: &Session, args: &Args<'_>) -> Result<()> {
    if session.system.atom_style.molecular {
        return Ok(());
    }
    let message = format!("atoms of style {} have no bonds", session.system.atom_style.name);
    Err(args.error_here(message).help("write `atom_style bond` before the box is made"))
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
        let group = self.header.group;
        let inside = |i: usize| atoms.mask[i] & group != 0;
        let mut parent: Vec<u32> = (0..atoms.len() as u32).collect();
        let mut join = |i: usize, j: usize| {
            let (a, b) = (root(&mut parent, i), root(&mut parent, j));
            // The root of a tree is its atom with the smallest ID.
            let (low, high) = if atoms.tag[a] < atoms.tag[b] { (a, b) } else { (b, a) };
            parent[high] = low as u32;
        };
        let mut alone = vec![!self.single; atoms.len()];
        if self.bonded {
            let place: ById<usize> = atoms.tag.iter().copied().zip(0..).collect();
            for bond in &system.session.system.topology.bonds {
                let [Some(&i), Some(&j)] = bond.atoms.map(|tag| place.get(tag)) else { continue };
                if inside(i) && inside(j) {
                    join(i, j);
                    [alone[i], alone[j]] = [false; 2];
                }
            }
        }
        if let Some(cutoff) = self.cutoff {
            let neighbors = Neighbors::new(system, cutoff)?;
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
            let near: Vec<Vec<usize>> = (0..atoms.len()).into_par_iter().map(earlier).collect();
            near.iter().enumerate().for_each(|(i, others)| others.iter().for_each(|&j| join(i, j)));
        }
        let mut value = |i: usize| match inside(i) && !alone[i] {
            true => f64::from(atoms.tag[root(&mut parent, i)]),
            false => 0.0,
        };
        Ok(Values::per_atom(PerAtom::Vector((0..atoms.len()).map(&mut value).collect())))
    }
}
