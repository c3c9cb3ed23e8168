//! Molecules: bonds, and which atoms are a few bonds apart (`special_bonds`).

use crate::base::format::g;
use crate::base::log::Log;
use crate::model::atoms::Atoms;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::time::Instant;

/// A bond of two atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bond {
    /// Bond type, from 1.
    pub kind: u32,
    /// IDs of the atoms.
    pub atoms: [u32; 2],
    /// Whether `delete_bonds` has switched it off: no force then, but its atoms stay neighbours for `special_bonds`.
    #[serde(default)]
    pub off: bool,
}

impl Bond {
    /// A bond that acts.
    pub fn new(kind: u32, atoms: [u32; 2]) -> Self {
        Bond { kind, atoms, off: false }
    }
}

/// How much the pair forces of atoms one, two and three bonds apart count (`special_bonds`), from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weights {
    /// Of all but Coulomb forces.
    pub lj: [f64; 3],
    /// Of Coulomb forces.
    pub coul: [f64; 3],
    /// `angle yes`: no pair counts as two bonds apart, as there are no angles. Those that are three bonds apart the other way round, in rings
    /// of five, count as such.
    #[serde(default)]
    pub unangled: bool,
}

impl Weights {
    /// Those of pairs so many bonds apart, from 1: of all but Coulomb forces and of these, alike where nobody sees
    /// charges.
    pub fn of(&self, bonds: usize, charged: bool) -> [f64; 2] {
        let lj = self.lj[bonds - 1];
        [lj, if charged { self.coul[bonds - 1] } else { lj }]
    }

    /// Those of two atoms, by their IDs and all special neighbours: 1 where they are none.
    pub fn between(&self, special: &Partners, [a, b]: [u32; 2]) -> [f64; 2] {
        let links = special.get(&a);
        let link = links.and_then(|links| links.iter().find(|(tag, _)| *tag == b));
        link.map_or([1.0; 2], |&(_, bonds)| self.of(bonds as usize, true))
    }
}

/// The bonds of a system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Topology {
    /// Number of bond types.
    pub bond_types: usize,
    /// Each bond once.
    pub bonds: Vec<Bond>,
    /// `special_bonds`.
    pub weights: Weights,
}

/// Other atoms that one is linked to: their IDs, with the type of the bond or the number of bonds between.
pub type Partners = BTreeMap<u32, Vec<(u32, u32)>>;

impl Topology {
    /// Partners per atom with the type of the bond, in the order of their IDs.
    pub fn partners(&self) -> Partners {
        partners(self.bonds.iter())
    }

    /// The same of the bonds that are not switched off.
    pub fn acting(&self) -> Partners {
        partners(self.bonds.iter().filter(|bond| !bond.off))
    }

    /// Whether there are atoms whose pair forces may not count in full, for the bonds between them; with `charged` Coulomb forces
    /// matter, too.
    pub fn has_special(&self, charged: bool) -> bool {
        !self.bonds.is_empty() && (1..=3).any(|bonds| self.weights.of(bonds, charged) != [1.0; 2])
    }

    /// The atoms that are one, two or three bonds away, by the shortest way, and whose pair forces do not count in
    /// full; with `charged` Coulomb forces matter, too. Source: LAMMPS manual, `special_bonds`.
    pub fn special(&self, charged: bool) -> Partners {
        let in_full = |bonds: u32| self.weights.of(bonds as usize, charged) == [1.0; 2];
        let Some(farthest) = (1..=3).rev().find(|&bonds| !in_full(bonds)) else {
            return Partners::new();
        };
        let partners = self.partners();
        // Atoms by their place among those with bonds, so that whether one has been found is a look into an array.
        let tags: Vec<u32> = partners.keys().copied().collect();
        let place = |tag: u32| tags.partition_point(|&other| other < tag);
        let bonded: Vec<Vec<u32>> =
            partners.values().map(|list| list.iter().map(|&(tag, _)| place(tag) as u32).collect()).collect();
        let mut found_from = vec![u32::MAX; tags.len()];
        let mut special = Partners::new();
        for (start, &atom) in tags.iter().enumerate() {
            found_from[start] = start as u32;
            let mut found: Vec<(u32, u32)> = vec![(start as u32, 0)];
            let mut newest = 0..1;
            for distance in 1..=farthest {
                for k in newest.clone() {
                    for &partner in &bonded[found[k].0 as usize] {
                        let from = &mut found_from[partner as usize];
                        if *from != start as u32 {
                            *from = start as u32;
                            found.push((partner, distance));
                        }
                    }
                }
                newest = newest.end..found.len();
            }
            if self.weights.unangled {
                let around = |end: u32| at_ends_of_three(&bonded, start as u32, end);
                found
                    .iter_mut()
                    .filter(|(end, distance)| *distance == 2 && around(*end))
                    .for_each(|(_, d)| *d = 3);
            }
            let counts = |(_, distance): &(u32, u32)| *distance > 0 && !in_full(*distance);
            let found = found.into_iter().filter(counts);
            let mut list: Vec<(u32, u32)> = found.map(|(k, distance)| (tags[k as usize], distance)).collect();
            list.sort_unstable();
            if !list.is_empty() {
                special.insert(atom, list);
            }
        }
        special
    }

    /// Whether special_bonds leaves a pair of atoms out altogether, by their IDs.
    pub fn left_out(&self) -> impl Fn([u32; 2]) -> bool {
        let (special, weights) = (self.special(true), self.weights);
        move |pair| weights.between(&special, pair) == [0.0; 2]
    }

    /// The bonds of which at least `least` atoms, 1 or 2, are there.
    pub fn bonds_among(&self, atoms: &Atoms, least: usize) -> Vec<Bond> {
        let mut tags = if self.bonds.is_empty() { Vec::new() } else { atoms.tag.clone() };
        tags.sort_unstable();
        let there = |tag: &&u32| tags.binary_search(tag).is_ok();
        self.bonds.iter().filter(|bond| bond.atoms.iter().filter(there).count() >= least).copied().collect()
    }

    /// Drops the bonds to atoms that are gone whose IDs new atoms get.
    pub fn let_go_of(&mut self, new: &[u32]) {
        if !self.bonds.is_empty() {
            let new: HashSet<u32> = new.iter().copied().collect();
            self.bonds.retain(|bond| !bond.atoms.iter().any(|tag| new.contains(tag)));
        }
    }

    /// The lines of the log about special neighbours, as LAMMPS has them.
    pub fn describe_special(&self, log: &mut Log) {
        let start = Instant::now();
        log.line("Finding 1-2 1-3 1-4 neighbors ...");
        for (name, weights) in [("lj:   ", self.weights.lj), ("coul: ", self.weights.coul)] {
            let factors: String = weights.iter().map(|w| format!(" {:<8}", g(*w, 6))).collect();
            log.line(&format!("  special bond factors {name}{factors}"));
        }
        let most = self.special(false).values().map(Vec::len).max().unwrap_or(0);
        log.line(&format!("{most:6} = max # of special neighbors"));
        log.line(&format!("  special bonds CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    }
}

/// Whether three bonds lead from one atom to another that is not bonded to it, over two atoms between; atoms by their places in the list of
/// partners.
fn at_ends_of_three(bonded: &[Vec<u32>], start: u32, end: u32) -> bool {
    let between = |atom: u32| bonded[atom as usize].iter().filter(move |&&one| one != start && one != end);
    between(start).any(|one| between(end).any(|other| bonded[*one as usize].contains(other)))
}

pub(crate) fn partners<'b>(bonds: impl Iterator<Item = &'b Bond>) -> Partners {
    let mut partners = Partners::new();
    for Bond { kind, atoms: [a, b], .. } in bonds {
        partners.entry(*a).or_default().push((*b, *kind));
        partners.entry(*b).or_default().push((*a, *kind));
    }
    partners.values_mut().for_each(|list| list.sort_unstable());
    partners
}
