//! What a script has set ([`Session`]), a step seen from outside ([`snapshot`]), and the interfaces of fixes, computes and dumps. No file
//! here knows a concrete fix, compute or dump style, but for the computes that are there from the start.
//!
//! - `parts`: [`Session`] and its parts. Start here. `start`: its state before the first command
//! - `snapshot/`: one step seen from outside: atoms read back on demand, computes evaluated once, answers to formulas
//! - `fix/`, `compute/`, `dump`: the interfaces, and what styles of each share
//! - `left`: what a run leaves on the device
//! - `thermo/`, `schedule`, `restart`, `minimize/`, `options`: settings of output, restart files, minimizations, the command line
//! - `sharing`: how LAMMPS's processes would share the box
//! - `molecules`, `bonded`, `weights`, `dynamic_groups`, `cell_grid`: system data that runs look up
//! - `coefficients`, `units`, `box_checks`: what commands and data files both do
//! - `tuned`, `report`: records of tuning; the file of `-json`
//!
//! May import: `base`, `gpu`, `script`, `model`, `potentials`, `engine`.

pub mod bonded;
pub mod box_checks;
pub(crate) mod cell_grid;
pub mod coefficients;
pub mod compute;
pub mod dump;
pub mod dynamic_groups;
pub mod fix;
mod left;
pub mod minimize;
pub mod molecules;
pub mod options;
mod parts;
pub mod report;
pub mod restart;
pub mod schedule;
pub mod sharing;
pub mod snapshot;
pub mod start;
pub mod thermo;
pub mod tuned;
pub mod units;
pub mod weights;

pub use parts::{Clock, Device, ForceField, KnownNames, Output, Script, Session, System};
