//! `molecule`: templates of molecules, which `create_atoms ... mol` and `fix deposit ... mol` put into the box. Source:
//! LAMMPS manual, `molecule`.

pub(crate) mod place;

pub(crate) use place::{Matrix, Numbers, axis, no_more_ids, rotation};

use crate::model::topology::Bond;

/// A template: atoms with their places relative to the middle of all, types, and what else the file has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Molecule {
    /// The name that the script gave it.
    pub id: String,
    /// Positions relative to the mean of all, in distance units.
    pub x: Vec<[f64; 3]>,
    /// Atom types, from 1.
    pub kind: Vec<u32>,
    /// Charges, in charge units, where the file has some.
    pub charge: Option<Vec<f64>>,
    /// Molecule IDs from 1, where there are several in one file.
    pub molecule: Option<Vec<u32>>,
    /// Bonds, whose atoms are counted from 1.
    pub bonds: Vec<Bond>,
}
