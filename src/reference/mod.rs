//! Plain f64 twins of the kernels in cl/, one file per stage: what the tests compare every device with.
//!
//! No cleverness: pairs are searched among all atoms and all explicit periodic images, sums run in the order
//! of the atoms. Positions are in distance units, forces and energies in the units of the pair style.

pub mod aim;
pub mod cells;
pub mod fix;
pub mod integrate;
pub mod list;
pub mod minimize;
pub mod molecule;
pub mod pair;
pub mod reduce;
pub mod rigid;
pub mod sort;
pub mod staging;
pub mod tiles;
