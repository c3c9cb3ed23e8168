//! TODO: what lives here.

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
