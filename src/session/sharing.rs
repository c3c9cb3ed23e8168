//! What a script says of how LAMMPS's processes share the box (`processors`, `comm_style`, `comm_modify mode`). It moves no atom here, but
//! says which words of the commands that follow are right.

use crate::base::ranks;

/// The line of the log on how ranks share a box: in the words of LAMMPS, whose grid that is not where there are several.
pub fn in_words() -> String {
    let grid = format!("  {} by 1 by 1 MPI processor grid", ranks::count());
    if ranks::count() > 1 { grid + ", in parts of a curve through all cells" } else { grid }
}

/// As LAMMPS would have it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sharing {
    /// `processors PX PY PZ`; 0: for LAMMPS to choose.
    pub grid: [u32; 3],
    /// `comm_style tiled`: shares may be any boxes, not only those of a grid.
    pub tiled: bool,
    /// `comm_modify mode`.
    pub mode: Mode,
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
