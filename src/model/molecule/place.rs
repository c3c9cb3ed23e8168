//! Where the atoms of a molecule lie that is put somewhere, and how they join the others.

use super::Molecule;
use crate::base::error::{Error, Result};
use crate::model::atoms::Atoms;
use crate::model::domain::scaled;
use crate::model::topology::Bond;
use crate::script::{Args, Word};

/// A matrix, row by row.
pub(crate) type Matrix = [[f64; 3]; 3];

/// The matrix of a rotation by an angle about an axis of any length, from its quaternion.
pub(crate) fn rotation(axis: [f64; 3], angle: f64) -> Matrix {
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

/// Takes the axis about which a molecule turns; `place` is where a mistake is shown.
///
/// # Errors
/// When a component is missing or no number, the axis has no length, or it leans in two dimensions.
pub(crate) fn axis(dimension: u32, args: &mut Args<'_>, place: Option<&Word>) -> Result<[f64; 3]> {
    let what = "a component of the axis";
    let axis = [args.f64(what)?, args.f64(what)?, args.f64(what)?];
    let Some(word) = place else { return Ok(axis) };
    let Some(axis) = scaled(axis) else {
        return Err(args.error(word, "the axis has no length"));
    };
    if dimension == 2 && axis[..2] != [0.0; 2] {
        return Err(args.error(word, "a molecule of a 2d system turns about z only"));
    }
    Ok(axis)
}

/// The error of IDs of a kind that run out.
pub(crate) fn no_more_ids(kind: &str) -> Error {
    Error::new(format!("there are no more {kind} IDs: they end at {}", u32::MAX))
}

/// How the atoms of a molecule are numbered, and what they have.
pub(crate) struct Numbers {
    /// The ID of the first.
    pub(crate) first: u32,
    /// Added to their types.
    pub(crate) more: u32,
    /// The largest molecule ID so far, where they have some.
    pub(crate) last_molecule: Option<u32>,
    /// Whether they have charges.
    pub(crate) charged: bool,
}

impl Molecule {
    /// Where its atoms are with their middle at a place, turned.
    pub(crate) fn sites(&self, turn: &Matrix, x: [f64; 3]) -> Vec<[f64; 3]> {
        let place = |dx: &[f64; 3]| {
            std::array::from_fn(|d| turn[d][0] * dx[0] + turn[d][1] * dx[1] + turn[d][2] * dx[2] + x[d])
        };
        self.x.iter().map(place).collect()
    }

    /// How many molecule IDs it takes.
    pub(crate) fn ids(&self) -> u32 {
        self.molecule.as_ref().map_or(1, |ids| ids.iter().max().copied().unwrap_or(1))
    }

    /// Adds its atoms at places in the box, with image counts; returns its bonds.
    ///
    /// # Errors
    /// When IDs run out.
    pub(crate) fn join(
        &self,
        atoms: &mut Atoms,
        places: &[([f64; 3], [i32; 3])],
        numbers: &Numbers,
    ) -> Result<Vec<Bond>> {
        let first = numbers.first;
        if first.checked_add(places.len() as u32).is_none() {
            return Err(no_more_ids("atom"));
        }
        if numbers.last_molecule.is_some_and(|last| last.checked_add(self.ids()).is_none()) {
            return Err(no_more_ids("molecule"));
        }
        for (m, (x, image)) in places.iter().enumerate() {
            atoms.push(first + m as u32, numbers.more + self.kind[m], *x);
            let last = atoms.len() - 1;
            atoms.image[last] = *image;
            if let Some(id) = numbers.last_molecule {
                atoms.molecule[last] = id + self.molecule.as_ref().map_or(1, |ids| ids[m]);
            }
            if let (Some(charge), true) = (&self.charge, numbers.charged) {
                atoms.charge[last] = charge[m];
            }
        }
        let with_ids = |bond: &Bond| Bond { atoms: bond.atoms.map(|m| first + m - 1), ..*bond };
        Ok(self.bonds.iter().map(with_ids).collect())
    }
}
