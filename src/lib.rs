//! CLAMPS: molecular dynamics from LAMMPS input scripts on any OpenCL device.
//!
//! The way of the data: [`script`] turns text into commands, [`interpreter`] applies each one to the
//! [`state::State`], and `run` hands the state to [`run`], which keeps the whole time step on the device.
//! docs/ARCHITECTURE.md is the map.

pub mod atoms;
pub mod balance;
pub mod bond;
pub mod ceiling;
pub mod cli;
pub mod column;
pub mod compute;
pub mod create;
pub mod data_file;
pub mod domain;
pub mod dump;
pub mod edit;
pub mod error;
pub mod files;
pub mod fix;
pub mod format;
pub mod gate;
pub mod gpu;
pub mod group;
pub mod host;
pub mod info;
pub mod interpreter;
pub mod kernels;
pub mod labels;
pub mod lattice;
pub mod log;
pub mod measure;
pub mod minimize;
pub mod molecule;
pub mod neighbor;
pub mod options;
pub mod output;
pub mod pair;
mod parallel;
pub mod plan;
pub mod progress;
pub mod random;
pub mod read_dump;
pub mod recipe;
pub mod reduce;
pub mod region;
pub mod report;
pub mod resident;
pub mod restart;
pub mod rules;
pub mod run;
pub mod schedule;
pub mod script;
pub mod setup;
pub mod signals;
pub mod simulation;
pub mod state;
pub mod studies;
pub mod survey;
pub mod system;
pub mod table;
pub mod thermo;
pub mod timing;
pub mod topology;
pub mod tuning;
pub mod units;
pub mod velocity;
pub mod work;
