//! TODO: what lives here.

pub mod analysis;
pub mod barrier;
pub mod comm;
pub mod device_atoms;
pub mod kernels;
pub mod neighbor;
pub mod roofline;
pub mod simulation;
pub mod step;
pub mod timing;
