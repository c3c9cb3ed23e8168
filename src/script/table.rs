//! Tables of energy and force that scripts bring along: their files, and curves through their rows. `pair_style table`, `bond_style
//! table` and `fix wall/table` are made of them.

mod file;
mod spline;

pub use file::{Curve, Section, Spacing};
pub use spline::Spline;
