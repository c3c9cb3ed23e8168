//! What a script says of how ranks share the atoms: `balance`, of which as much work for each comes, and what moves no atom here but says which words
//! of the commands that follow are right (`processors`, `comm_style`, `comm_modify mode`).

use crate::base::ranks;
use crate::engine::comm::{AtomWork, Weights};

/// The line of the log on how ranks share a box: in the words of LAMMPS, whose grid that is not where there are several.
pub fn in_words() -> String {
    let grid = format!("  {} by 1 by 1 MPI processor grid", ranks::count());
    if ranks::count() > 1 { grid + ", in parts of a curve through all cells" } else { grid }
}

/// As LAMMPS would have it, and what comes of that.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    /// `processors PX PY PZ`; 0: for LAMMPS to choose.
    pub grid: [u32; 3],
    /// `comm_style tiled`: shares may be any boxes, not only those of a grid.
    pub tiled: bool,
    /// `comm_modify mode`.
    pub mode: Mode,
    /// What `balance` has asked for since the last run.
    pub balance: Option<Balance>,
    /// The parts of the atoms that ranks had in the last run, where these are for as much work each.
    pub cuts: Option<Weights>,
}

/// As much work for each rank, where the most that one has over the mean is above a threshold.
#[derive(Clone, Debug)]
pub struct Balance {
    /// How much more one may have.
    pub threshold: f64,
    /// What counts as work.
    pub work: AtomWork,
}

/// Whether there is one distance from which atoms of others are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// One.
    #[default]
    Single,
    /// One for each collection of types.
    Multi,
    /// One for each type.
    MultiOld,
}
