//! TODO: what lives here.

pub mod atoms;
pub mod domain;
pub(crate) mod exclude;
pub mod flow;
pub mod group;
pub mod labels;
pub mod lattice;
pub mod molecule;
pub mod region;
pub mod topology;
pub mod units;
