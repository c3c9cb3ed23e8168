//! Neighbour lists: settings here, kernels' host side beside.

/// `neighbor` and `neigh_modify`.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Added to every cutoff when the list is built, in distance units.
    pub skin: f64,
    /// Test for a rebuild at steps that are multiples of this since the last one.
    pub every: u64,
    /// Never rebuild sooner than this.
    pub delay: u64,
    /// Rebuild only when some atom moved more than skin / 2.
    pub check: bool,
    /// First guess of the longest list (`one`).
    pub one: usize,
}

impl Settings {
    /// LAMMPS's defaults since 2022.
    pub fn new(skin: f64) -> Self {
        Settings { skin, every: 1, delay: 0, check: true, one: 2000 }
    }
}
