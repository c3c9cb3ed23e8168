//! The simulation on the device. It knows neither scripts nor the session: `run/setup.rs` gives it plain data
//! (`simulation::spec`) and the device functions of fixes (`step::fix_program`).
//!
//! - `simulation/`: one system with all that a run needs. `advance` is the loop, `step_mode` says how steps become launches,
//!   `history` is the way back from a halt, `self_rebuild` has the cycles in which the device rebuilds lists by itself. Start here.
//! - `step/`: the kernels of a step, put together from pair style, bonds and fixes; their arguments and launches
//! - `neighbor/`: cells, sort and lists; when they are rebuilt; predicted positions; what the host does at a halt
//! - `force/`: the program of the neighbour loop from pair styles and bonds; passes before it, for forces of many bodies
//! - `device_atoms/`: the buffers of the atoms, and the status words through which kernels speak to the host
//! - `kernels/`: kernel files, precision, launch configurations, kernel variants
//! - `analysis/`: sums over atoms for thermo rows, computes and fixes; values per atom by expressions
//! - `comm/`: whose forces a rank makes, and how others learn of them
//! - `barrier`: where the work-groups of a launch wait for one another
//! - `timing`, `roofline`: the timing record of a run; the device's peak rates
//!
//! May import: `base`, `gpu`, `model`, `potentials`, and `script::atom_expr`.

pub mod analysis;
pub mod barrier;
pub mod comm;
pub mod device_atoms;
mod force;
pub mod kernels;
pub mod neighbor;
pub mod roofline;
pub mod simulation;
pub mod step;
pub mod timing;
