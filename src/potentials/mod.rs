//! TODO: what lives here.

pub mod bond;
pub mod pair;
