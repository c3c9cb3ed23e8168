//! TODO: what lives here.

pub mod fix_sums;
pub mod group_sums;
pub mod per_atom;
pub mod reduce;
