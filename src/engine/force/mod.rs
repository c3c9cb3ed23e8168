//! Forces as terms: what the program of the neighbour loop is put together from (`program`), and the passes over the neighbours
//! that come before it, where forces are of many bodies (`passes`; `within`, where one launch makes several steps), or where pairs have lists of their own (`long_forces`).
//!
//! A term is a pair style's (`potentials/pair`), with the styles of a hybrid, or that of bonds (`potentials/bond`). It says what it reads
//! of atoms beyond positions ([`PairInputs`](crate::potentials::pair::style::PairInputs)): charges, velocities, numbers that a pass before has
//! made. The last pass adds up all terms and goes on with the step.

pub(in crate::engine) mod long_forces;
pub(in crate::engine) mod passes;
pub(in crate::engine) mod program;
pub(in crate::engine) mod within;
