//! Commands of scripts: each is a function that reads its words through `script::Args` and changes the session.
//!
//! - `interpreter/`: the table of commands, and the script's own commands (`if`, `jump`, `variable`, `print`). Start here.
//! - `create/`: `create_box` and `create_atoms`; `lattice`, `region`, `molecule`, `group`, `velocity/`
//! - `units`, `domain`, `topology`, `labelmap`: settings of the system
//! - `pair`, `bond`, `neighbor`, `pair_write`: force field and lists
//! - `edit/`: commands that change atoms and box (`set`, `displace_atoms`, `delete_atoms`, `change_box`, `replicate`)
//! - `fix`, `compute`, `thermo`, `dump`, `dump_modify`, `info`: fixes, computes, output
//! - `run`, `minimize`, `restart`, `read_dump/`: runs and what they start from
//!
//! `pair_coeff` and `bond_coeff` are in `session/coefficients.rs`, as data files have them, too. May import: all but `reference`,
//! `studies` and `cli`.

pub mod bond;
pub mod compute;
pub mod create;
pub mod domain;
pub mod dump;
pub mod dump_modify;
pub mod edit;
pub mod fix;
pub mod group;
pub mod info;
pub mod interpreter;
pub mod labelmap;
pub mod lattice;
pub mod minimize;
pub mod molecule;
pub mod neighbor;
pub mod pair;
pub mod pair_write;
pub mod read_dump;
pub mod region;
pub mod restart;
pub mod run;
pub mod thermo;
pub mod topology;
pub mod units;
pub mod velocity;
