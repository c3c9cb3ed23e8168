//! TODO: what lives here.

pub mod dump;
pub mod kernel_cost;
pub mod writer;
