//! `fix deposit ... mol`: a molecule instead of an atom, turned by chance about an axis by chance or as the script says.

use crate::base::error::Result;
use crate::base::random::ParkMiller;
use crate::model::domain::Domain;
use crate::model::molecule::{Molecule, rotation};
use crate::script::Args;
use crate::session::Session;
use std::cell::Cell;
use std::f64::consts::TAU;

/// An atom's place in the box, and its image counts.
pub(super) type Site = ([f64; 3], [i32; 3]);

/// A molecule that is put in.
pub(super) struct Body {
    pub(super) molecule: Molecule,
    /// The axis that it turns about, where the script says.
    pub(super) axis: Option<[f64; 3]>,
    /// The largest molecule ID so far.
    pub(super) last: Cell<u32>,
}

impl Body {
    /// Takes the name of a molecule; `more` is added to the types of its atoms.
    pub(super) fn read(session: &Session, args: &mut Args<'_>, more: u32) -> Result<Self> {
        let molecule = crate::session::molecules::template(session, args, more)?.clone();
        Ok(Body { molecule, axis: None, last: Cell::new(largest(&session.now().atoms()?.molecule)) })
    }

    /// Where its atoms are with their middle at `x`. The first number chooses among the molecules of a template, of which
    /// there is one.
    pub(super) fn sites(
        &self,
        random: &mut ParkMiller,
        x: [f64; 3],
        domain: &Domain,
        flat: bool,
    ) -> Vec<Site> {
        random.uniform();
        let axis = match (flat, self.axis) {
            (true, _) => [0.0, 0.0, 1.0],
            (false, Some(axis)) => axis,
            (false, None) => std::array::from_fn(|_| random.uniform() - 0.5),
        };
        let turn = rotation(axis, random.uniform() * TAU);
        let wrapped = |mut x: [f64; 3]| {
            let mut image = [0; 3];
            domain.wrap(&mut x, &mut image);
            (x, image)
        };
        self.molecule.sites(&turn, x).into_iter().map(wrapped).collect()
    }
}

/// The largest of some IDs, 0 where there are none.
pub(super) fn largest(ids: &[u32]) -> u32 {
    ids.iter().copied().max().unwrap_or(0)
}
