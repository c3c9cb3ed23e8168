//! What `create_atoms` puts at a place: an atom, or a molecule, turned by chance or as the script says. Source: LAMMPS
//! manual, `create_atoms`; the random numbers are drawn in LAMMPS's order, so that molecules lie alike.

use super::{next_tag, too_many};
use crate::atoms::Atoms;
use crate::domain::Domain;
use crate::edit::mars_seed;
use crate::error::{Error, Result};
use crate::molecule::Molecule;
use crate::random::Ranmar;
use crate::script::{Args, Word};
use crate::state::State;
use crate::topology::Bond;
use std::f64::consts::{PI, TAU};

/// A matrix, row by row.
pub(super) type Matrix = [[f64; 3]; 3];

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
    /// The bonds of those that were put somewhere.
    pub(super) bonds: Vec<Bond>,
}

impl Body {
    /// Takes `ID SEED` after the word `mol`; `more` is added to the atom types.
    pub(super) fn read(state: &State, args: &mut Args<'_>, more: u32) -> Result<Self> {
        let word = args.word("a molecule")?;
        let known = || state.molecules.iter().map(|molecule| &*molecule.id);
        let found = state.molecules.iter().find(|molecule| molecule.id == word.text);
        let molecule = found.ok_or_else(|| args.unknown(word, "molecule", known()))?.clone();
        molecule.check(state, args, word, more)?;
        let random = Ranmar::new(mars_seed(args)?);
        Ok(Body {
            molecule,
            more,
            random,
            turn: None,
            flat: state.dimension == 2,
            charged: state.has_charges(),
            molecular: state.has_molecules(),
            last: state.now().atoms()?.molecule.iter().max().copied().unwrap_or(0),
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
        let place = |dx: &[f64; 3]| {
            std::array::from_fn(|d| turn[d][0] * dx[0] + turn[d][1] * dx[1] + turn[d][2] * dx[2] + x[d])
        };
        self.molecule.x.iter().map(place).collect()
    }

    /// Adds its atoms at these sites, with IDs and molecule IDs that continue the present ones.
    ///
    /// # Errors
    /// When one is outside of a face that is not periodic, or IDs run out.
    pub(super) fn put(&mut self, atoms: &mut Atoms, domain: &Domain, sites: Vec<[f64; 3]>) -> Result<()> {
        let first = next_tag(atoms)?;
        let Molecule { id, kind, charge, molecule, bonds, .. } = &self.molecule;
        for (m, mut x) in sites.into_iter().enumerate() {
            let tag = first.checked_add(m as u32).ok_or_else(too_many)?;
            let mut image = [0; 3];
            domain.wrap(&mut x, &mut image);
            if !domain.contains(x) {
                let [x, y, z] = x;
                let message = format!(
                    "create_atoms: atom {} of a molecule {id} is outside of the box, at {x} {y} {z}",
                    m + 1
                );
                return Err(Error::new(message).help("leave room at the faces: a smaller region"));
            }
            atoms.push(tag, self.more + kind[m], x);
            let last = atoms.len() - 1;
            atoms.image[last] = image;
            if self.molecular {
                atoms.molecule[last] = self.last + molecule.as_ref().map_or(1, |ids| ids[m]);
            }
            if let (Some(charge), true) = (charge, self.charged) {
                atoms.charge[last] = charge[m];
            }
        }
        self.last += molecule.as_ref().map_or(1, |ids| ids.iter().max().copied().unwrap_or(1));
        self.bonds
            .extend(bonds.iter().map(|bond| Bond { atoms: bond.atoms.map(|m| first + m - 1), ..*bond }));
        Ok(())
    }
}

/// Takes `THETA RX RY RZ` after the word `rotate`: degrees about an axis.
pub(super) fn rotate(state: &State, args: &mut Args<'_>, word: &Word) -> Result<Matrix> {
    let angle = args.f64("an angle in degrees")? / 180.0 * PI;
    let what = "a component of the axis";
    let axis = [args.f64(what)?, args.f64(what)?, args.f64(what)?];
    if axis == [0.0; 3] {
        return Err(args.error(word, "the axis has no length"));
    }
    if state.dimension == 2 && axis[..2] != [0.0; 2] {
        return Err(args.error(word, "a molecule of a 2d system turns about z only"));
    }
    Ok(rotation(axis, angle))
}

/// The matrix of a rotation by an angle about an axis of any length, from its quaternion.
fn rotation(axis: [f64; 3], angle: f64) -> Matrix {
    let [x, y, z] = axis;
    let scale = 1.0 / (x * x + y * y + z * z).sqrt();
    let (sin, w) = (0.5 * angle).sin_cos();
    let [x, y, z] = axis.map(|a| a * scale * sin);
    [
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), w * w - x * x + y * y - z * z, 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), w * w - x * x - y * y + z * z],
    ]
}
