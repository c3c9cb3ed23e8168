//! TODO: what lives here.

pub mod data_file;
pub mod restart;
