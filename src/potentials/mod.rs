//! TODO: what lives here.

pub mod bond;
pub mod bonded;
pub mod pair;
