//! Pair styles: the commands and what all styles share. Each style is one file here, one snippet in
//! cl/pair/, and one line in `STYLES` of registry.rs.

mod adapt;
mod born;
mod buck;
mod build;
pub mod cost;
mod coul_cut;
mod coul_dsf;
mod dpd;
mod eam;
mod gauss;
pub(crate) mod given;
mod harmonic_cut;
mod hybrid;
mod lennard_jones;
mod lj_cubic;
mod lj_cut;
mod lj_expand;
mod lj_gromacs;
mod lj_smooth;
mod lj_smooth_linear;
pub mod many_body;
mod mie_cut;
mod morse;
mod nine_six;
mod nm_cut;
mod potential_file;
pub mod registry;
mod resolve;
mod saved;
mod soft;
pub mod style;
mod sw;
mod table;
mod tail;
mod tersoff;
mod three_body;
mod with_charges;
mod yukawa;
mod zero;

pub use adapt::Slot;
pub use given::{Pair, Part};
pub use many_body::Leaves;
pub use resolve::{Coefficients, Pass, Resolved, alike, samples_at};
pub use saved::SavedPair;
