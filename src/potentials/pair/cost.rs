//! Floating-point operations that the neighbor loop adds to those of a pair's formula.

/// Operations that add a pair's force to its atom's: three multiply-adds.
pub const SUM_OPERATIONS: u32 = 6;

/// Operations that add up a pair's energy and virial: one sum, six products and multiply-adds.
pub const TALLY_OPERATIONS: u32 = 19;
