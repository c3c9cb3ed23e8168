//! Every kernel in cl/ against its twin in `clamps::reference`, on every device of this machine, in every
//! precision, in the shapes that CPUs and GPUs get.
#![allow(clippy::unwrap_used)]

#[macro_use]
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/systems.rs"]
mod systems;

mod bonds;
mod boxes;
mod cells;
mod columns;
mod dpd;
mod exchange;
mod fixes;
mod flows;
mod forces;
mod integrate;
mod lists;
mod many_body;
mod minimize;
mod noise;
mod oclgrind;
mod predicted;
mod reduce;
mod rigid;
mod several;
mod slopes;
mod sort;
mod staging;
mod styles;
mod sums;
mod surveys;
mod triclinic;
mod unlike;
mod work;
