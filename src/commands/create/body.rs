//! What `create_atoms` puts at a place: an atom, or a molecule, turned by chance or as the script says. Source: LAMMPS
//! manual, `create_atoms`; the random numbers are drawn in LAMMPS's order, so that molecules lie alike.

use super::next_tag;
use crate::base::error::{Error, Result};
use crate::base::random::Ranmar;
use crate::model::atoms::Atoms;
use crate::model::domain::Domain;
use crate::model::molecule::{Matrix, Molecule, Numbers, axis, rotation};
use crate::model::topology::Bond;
use crate::script::seed;
use crate::script::{Args, Word};
use crate::session::Session;
use std::f64::consts::{PI, TAU};

/// A molecule to be put at places.
pub(super) struct Body {
    molecule: Molecule,
    /// Added to the types of its atoms.
    more: u32,
    random: Ranmar,
    /// How it is turned, row by row, if the script says.
    turn: Option<Matrix>,
    flat: bool,
    /// Whether atoms have charges, and molecule IDs.
    charged: bool,
    molecular: bool,
    /// The largest molecule ID so far.
    last: u32,
    /// The ID of the next atom, behind the first molecule.
    next: Option<u32>,
    /// The bonds of those that were put somewhere.
    pub(super) bonds: Vec<Bond>,
}

impl Body {
    /// Takes `ID SEED` after the word `mol`; `more` is added to the atom types.
    pub(super) fn read(session: &Session, args: &mut Args<'_>, more: u32) -> Result<Self> {
        let molecule = crate::session::molecules::template(session, args, more)?.clone();
        let random = Ranmar::new(seed::mars(args)?);
        Ok(Body {
            molecule,
            more,
            random,
            turn: None,
            flat: session.system.dimension == 2,
            charged: session.has_charges(),
            molecular: session.has_molecules(),
            last: session.now().atoms()?.molecule.iter().max().copied().unwrap_or(0),
            next: None,
            bonds: Vec::new(),
        })
    }

    /// The same, turned as the script says.
    pub(super) fn turned(self, turn: Option<Matrix>) -> Self {
        Body { turn, ..self }
    }

    /// Where its atoms are with their middle at a place.
    pub(super) fn sites(&mut self, x: [f64; 3]) -> Vec<[f64; 3]> {
        let turn = self.turn.unwrap_or_else(|| {
            let mut axis = [0.0, 0.0, 1.0];
            if !self.flat {
                axis = std::array::from_fn(|_| self.random.uniform() - 0.5);
            }
            rotation(axis, self.random.uniform() * TAU)
        });
        self.molecule.sites(&turn, x)
    }

    /// Adds its atoms at these sites, with IDs and molecule IDs that continue the present ones.
    ///
    /// # Errors
    /// When one is outside of a face that is not periodic, or IDs run out.
    pub(super) fn put(&mut self, atoms: &mut Atoms, domain: &Domain, sites: Vec<[f64; 3]>) -> Result<()> {
        let mut places = Vec::new();
        for (m, mut x) in sites.into_iter().enumerate() {
            let mut image = [0; 3];
            domain.wrap(&mut x, &mut image);
            if !domain.contains(x) {
                let (id, [x, y, z]) = (&self.molecule.id, x);
                let message = format!(
                    "create_atoms: atom {} of a molecule {id} is outside of the box, at {x} {y} {z}",
                    m + 1
                );
                return Err(Error::new(message).help("leave room at the faces: a smaller region"));
            }
            places.push((x, image));
        }
        let first = self.next.map_or_else(|| next_tag(atoms), Ok)?;
        let numbers = Numbers {
            first,
            more: self.more,
            last_molecule: self.molecular.then_some(self.last),
            charged: self.charged,
        };
        self.bonds.extend(self.molecule.join(atoms, &places, &numbers)?);
        self.last = self.last.saturating_add(self.molecule.ids());
        self.next = first.checked_add(places.len() as u32);
        Ok(())
    }
}

/// Takes `THETA RX RY RZ` after the word `rotate`: degrees about an axis.
pub(super) fn rotate(session: &Session, args: &mut Args<'_>, word: &Word) -> Result<Matrix> {
    let angle = args.f64("an angle in degrees")? / 180.0 * PI;
    Ok(rotation(axis(session.system.dimension, args, Some(word))?, angle))
}
