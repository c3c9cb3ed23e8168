//! Potentials: parameters, mixing, and formulas in double precision. The same formulas for the device are in `cl/pair/` and `cl/bond/`.
//!
//! - `pair/style`: the interface of a pair style. Start here, then read `pair/lj_cut` or `pair/born`.
//! - `pair/registry`: the table of pair styles; one file beside it for each
//! - `pair/given`: what `pair_style`, `pair_coeff` and `pair_modify` have given so far
//! - `pair/resolve`: coefficients of all pairs of types, as kernels and host want them
//! - `pair/hybrid`, `pair/table`, `pair/tail`, `pair/saved`: several styles, tables, tail corrections, restart files
//! - `lepton`: what both kinds have in common whose formulas are the script's
//! - `bond/`: the interface of a bond style, its table `bond/registry`, one file per style
//! - `bonded`: bonds and special neighbors of a system, as the engine wants them
//!
//! May import: `base`, `gpu`, `script`, `model`.

pub mod bond;
pub mod bonded;
pub mod lepton;
pub mod pair;
