//! The most types of atoms and of bonds that a box may have.

/// Tables of bonds grow with this.
pub(crate) const MOST_BOND_TYPES: usize = 1_000_000;

/// Pair tables grow with the square of this.
pub(crate) const MOST_TYPES: usize = 4096;
