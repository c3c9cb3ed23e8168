//! Sums over atoms, and values per atom, made on the device.
//!
//! - `reduce`: sums and extremes for thermo rows, in a fixed order
//! - `group_sums`: sums over groups that computes and formulas ask for
//! - `fix_sums`: sums that fixes make when the forces of a step are known
//! - `per_atom`: values per atom by expressions (`script::atom_expr`), their sums, and sums by bins

pub mod fix_sums;
pub mod group_sums;
pub mod per_atom;
pub mod reduce;
