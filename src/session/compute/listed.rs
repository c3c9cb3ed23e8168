//! Which pairs of atoms the script leaves out of lists, or has count in part: `neigh_modify exclude`, `special_bonds`.

use crate::model::atoms::Atoms;
use crate::model::exclude::Exclude;
use crate::model::topology::{Partners, Weights};
use crate::session::Session;

/// The rules, and what of the atoms they go by.
pub(super) struct Listed {
    exclude: Vec<Exclude>,
    kind: Vec<u32>,
    mask: Vec<u32>,
    molecule: Vec<u32>,
    tag: Vec<u32>,
    special: Partners,
    weights: Weights,
    /// Whether a style wants pairs in its list of which nothing counts, to take something away.
    damped: bool,
}

impl Listed {
    /// None where all pairs are neighbours and count in full.
    pub(super) fn new(session: &Session, atoms: &Atoms) -> Option<Self> {
        if session.neighbor.exclude.is_empty() && !session.system.topology.has_special(true) {
            return None;
        }
        let (exclude, special) = (session.neighbor.exclude.clone(), session.system.topology.special(true));
        let Atoms { kind, mask, molecule, tag, .. } = atoms;
        Some(Listed {
            exclude,
            kind: kind.clone(),
            mask: mask.clone(),
            molecule: molecule.clone(),
            tag: tag.clone(),
            special,
            weights: session.system.topology.weights,
            damped: session.force_field.pair.as_ref().is_some_and(|pair| pair.damped()),
        })
    }

    /// How much the forces of two atoms count: all but those of charges, and these.
    pub(super) fn weights(&self, i: usize, j: usize) -> [f64; 2] {
        self.weights.between(&self.special, [self.tag[i], self.tag[j]])
    }

    /// Whether two atoms are in no list of one another.
    pub(super) fn leaves_out(&self, i: usize, j: usize) -> bool {
        let of_both = |values: &[u32]| [values[i], values[j]];
        let (kinds, masks, molecules) = (of_both(&self.kind), of_both(&self.mask), of_both(&self.molecule));
        self.exclude.iter().any(|exclude| exclude.leaves_out(kinds, masks, molecules))
            || !self.damped && self.weights(i, j) == [0.0; 2]
    }
}
