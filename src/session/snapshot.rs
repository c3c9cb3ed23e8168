//! The system at one moment as output looks at it: atoms brought to the host when somebody asks, values of
//! computes kept until the moment is over, and the answers to what formulas ask.

pub mod atom_tally;
mod columns;
mod facts;
mod grid;
mod groups;
mod input;
mod interactions;
mod lookup;
mod measure;
mod reference;
mod tally;
pub mod view;

pub use atom_tally::Tally;
pub use columns::Places;
pub use grid::GridValue;
pub use input::{AtomValue, Input, Measured};
pub(crate) use interactions::{Interactions, bond_virials};
pub use measure::{course, tail};
pub use reference::{AtomColumn, Form};
pub use view::{Masses, Snapshot};
