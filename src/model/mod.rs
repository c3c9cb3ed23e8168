//! The system on the host, as data: what LAMMPS's commands describe, without the commands.
//!
//! - `atoms/`: positions, velocities, IDs, types, image counts, and properties of the script's own
//! - `domain/`: the box, orthogonal or triclinic, periodic or not. Start here, and with `atoms`.
//! - `flow`: how fast a box changes, for computes and fixes that follow it
//! - `units`, `lattice`, `labels`, `limits`: unit systems, lattices, names of types, largest numbers of types
//! - `region/`: regions: inside or outside, surfaces, motion, and the device's form of the test
//! - `group/`: groups as bits of a mask
//! - `atom_style`: what atoms have besides position, velocity and type
//! - `topology`, `exclude`: bonds, special neighbors, pairs that lists leave out
//! - `molecule/`: templates of molecules
//! - `extent`, `lost`, `rotation`: the space that atoms fill, lost atoms, angular velocity of a body
//!
//! May import: `base`, `script`. The commands that change this data are in `commands/`.

pub mod atom_style;
pub mod atoms;
pub mod domain;
pub(crate) mod exclude;
pub mod extent;
pub mod flow;
pub mod group;
pub mod labels;
pub mod lattice;
pub mod limits;
pub mod lost;
pub mod molecule;
pub mod region;
pub mod rotation;
pub mod topology;
pub mod units;
