//! TODO: what lives here.

pub mod compute;
pub mod create;
pub mod domain;
pub mod dump;
pub mod dump_modify;
pub mod edit;
pub mod fix;
pub mod info;
pub mod interpreter;
pub mod neighbor;
pub mod pair;
pub mod pair_write;
pub mod read_dump;
pub mod region;
pub mod thermo;
pub mod velocity;
