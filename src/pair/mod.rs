//! Pair styles: one file per style.

/// A pair style and its coefficients.
pub struct Pair {}
