//! `read_data` and `write_data`: LAMMPS's data files.
//!
//! Source: LAMMPS manual, `read_data`. A file is a title line, a header of counts and box edges, then
//! sections of one line per atom or type.

mod bonds;
mod header;
mod keywords;
mod numbers;
mod properties;
mod read;
mod write;

pub use read::read_data;
pub use write::{write_coeff, write_data};
