//! Plain f64 twins of the kernels in cl/, one file per stage: what the tests compare every device with.
//!
//! No cleverness: pairs are searched among all atoms and all explicit periodic images, sums run in the order
//! of the atoms. Positions are in distance units, forces and energies in the units of the pair style.
//!
//! - `pair`, `molecule`: forces and energies of pairs and bonds. Start with `pair`.
//! - `cells`, `sort`, `list`, `staging`, `prediction`: cells, order, lists, fixed-point positions, predicted positions
//! - `integrate`, `fix`, `rigid`: half steps, what fixes do to atoms, rigid bodies
//! - `reduce`, `minimize`: sums over atoms, line searches
//! - `tiles`: all pairs by Newton's third law, over threads, for `clamps droplet` and `clamps allpairs`
//!
//! May import: `engine` and the wings below it, and `run::minimize`.

pub mod cells;
pub mod fix;
pub mod integrate;
pub mod list;
pub mod minimize;
pub mod molecule;
pub mod pair;
pub mod prediction;
pub mod reduce;
pub mod rigid;
pub mod sort;
pub mod staging;
pub mod tiles;
