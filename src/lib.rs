//! CLAMPS: molecular dynamics from LAMMPS input scripts on any OpenCL device.
//!
//! The way of the data: [`script`] turns text into commands, [`interpreter`] applies each one to the
//! [`crate::session::Session`], and `run` hands the state to [`run`], which keeps the whole time step on the device.
//! docs/ARCHITECTURE.md is the map.

pub mod base;
pub mod cli;
pub mod commands;
pub mod computes;
pub mod engine;
pub mod fixes;
pub mod gpu;
pub mod io;
pub mod model;
pub mod output;
pub mod potentials;
pub mod reference;
pub mod run;
pub mod script;
pub mod session;
pub mod studies;
