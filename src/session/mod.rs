//! TODO: what lives here.

pub(crate) mod cell_grid;
pub mod compute;
pub mod dynamic_groups;
pub mod fix;
pub mod options;
pub mod report;
pub mod schedule;
pub mod snapshot;
pub mod state;
pub mod thermo;
pub mod weights;
