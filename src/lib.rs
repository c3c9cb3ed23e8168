//! CLAMPS: molecular dynamics from LAMMPS input scripts on any OpenCL device.
//!
//! The source is in sixteen wings. A wing imports only from wings below its own (tests/layers.rs):
//!
//! ```text
//!  cli                       command line
//!  studies                   other subcommands       reference   plain f64 versions of the kernels
//!  commands                  commands of scripts
//!  run                       the loop, minimizations
//!  fixes    output           fix styles; thermo rows, dumps
//!  computes io               compute styles; data and restart files
//!  session                   what a script has set; interfaces of fixes, computes, dumps
//!  engine                    the simulation on the device
//!  potentials                pair and bond styles
//!  model                     atoms, box, regions, groups
//!  script   gpu              script language; OpenCL
//!  base                      errors, log, files, formats
//! ```
//!
//! [`script`] turns text into commands, [`crate::commands::interpreter`] has each one change the [`crate::session::Session`], and
//! [`crate::run::run`] makes an [`crate::engine::simulation::Simulation`] of it, which keeps time steps on the device. What output and computes
//! see of a step is a [`crate::session::snapshot::Snapshot`]. Start with [`crate::commands::interpreter`] for scripts, [`run`] for
//! the loop, [`engine`] for kernels. docs/ARCHITECTURE.md is the map.

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
