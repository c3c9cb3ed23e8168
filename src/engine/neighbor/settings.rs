//! What `neighbor` and `neigh_modify` say.

use crate::model::exclude::Exclude;

/// `neighbor` and `neigh_modify`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    /// Added to every cutoff when the list is built, in distance units.
    pub skin: f64,
    /// Test for a rebuild at steps that are multiples of this since the last one.
    pub every: u64,
    /// Never rebuild sooner than this.
    pub delay: u64,
    /// Rebuild only when some atom moved more than skin / 2.
    pub check: bool,
    /// Never rebuild: the list is the one that a run begins with.
    #[serde(default)]
    pub once: bool,
    /// Whether pairs with long cutoffs have lists of their own wherever that takes less work (`multi`), else only in systems large enough.
    #[serde(default)]
    pub multi: bool,
    /// The most that is first taken for the longest list (`one`), where the script says so; it grows.
    pub one: Option<usize>,
    /// Pairs that are left out of the lists.
    pub exclude: Vec<Exclude>,
}

impl Settings {
    /// Whether each step looks for atoms that have come too far, as a rebuild may be due at any.
    pub fn looks_each_step(&self) -> bool {
        self.check && !self.once && self.every.max(self.delay) <= 1
    }

    /// LAMMPS's defaults since 2022.
    pub fn new(skin: f64) -> Self {
        Settings {
            skin,
            every: 1,
            delay: 0,
            check: true,
            once: false,
            multi: false,
            one: None,
            exclude: Vec::new(),
        }
    }
}
