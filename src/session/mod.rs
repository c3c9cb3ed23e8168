//! TODO: what lives here.

pub mod bonded;
pub mod box_checks;
pub(crate) mod cell_grid;
pub mod coefficients;
pub mod compute;
pub mod dump;
pub mod dynamic_groups;
pub mod fix;
pub mod minimize;
pub mod molecules;
pub mod options;
mod parts;
pub mod report;
pub mod restart;
pub mod schedule;
pub mod snapshot;
pub mod start;
pub mod thermo;
pub mod tuned;
pub mod units;
pub mod weights;

pub use parts::{Clock, Device, ForceField, KnownNames, Output, Script, Session, System};
