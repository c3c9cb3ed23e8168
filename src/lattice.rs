//! Lattices. To be written.

/// A lattice, scaled.
#[derive(Clone, Debug)]
pub struct Lattice {}
