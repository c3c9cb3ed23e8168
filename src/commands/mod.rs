//! TODO: what lives here.

pub mod bond;
pub mod compute;
pub mod create;
pub mod domain;
pub mod dump;
pub mod dump_modify;
pub mod edit;
pub mod fix;
pub mod group;
pub mod info;
pub mod interpreter;
pub mod labelmap;
pub mod lattice;
pub mod minimize;
pub mod molecule;
pub mod neighbor;
pub mod pair;
pub mod pair_write;
pub mod read_dump;
pub mod region;
pub mod restart;
pub mod run;
pub mod thermo;
pub mod topology;
pub mod units;
pub mod velocity;
