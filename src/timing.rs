//! Where the time went: sections of a step, and the record of each kernel.

use serde::Serialize;

/// The rows of the breakdown, in the order in which LAMMPS prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Section {
    /// Pairwise forces and their tallies.
    Pair,
    /// Rebuild decision, sort, cells and lists.
    Neigh,
    /// Wrapping, ghost atoms, transfers of atom data inside the loop.
    Comm,
    /// Thermo scalars, dumps.
    Output,
    /// Integration and fixes.
    Modify,
}

impl Section {
    /// All of them, in print order.
    pub const ALL: [Section; 5] =
        [Section::Pair, Section::Neigh, Section::Comm, Section::Output, Section::Modify];

    /// The word in the first column of the breakdown.
    pub fn name(self) -> &'static str {
        match self {
            Section::Pair => "Pair",
            Section::Neigh => "Neigh",
            Section::Comm => "Comm",
            Section::Output => "Output",
            Section::Modify => "Modify",
        }
    }
}

/// What one kernel or transfer cost over a run, as far as it was sampled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelRecord {
    /// Kernel name, or `read`, `write`, `map`, `unmap`, `copy`.
    pub name: String,
    /// The row it is booked under.
    pub section: Section,
    /// How often it was enqueued.
    pub calls: u64,
    /// How many of these were timed by the device clock.
    pub sampled: u64,
    /// Device seconds of the sampled calls.
    pub sampled_seconds: f64,
    /// Estimate for all calls: mean sampled time times calls.
    pub seconds: f64,
    /// Bytes copied between host and device (0 for kernels and for maps of zero-copy buffers).
    pub bytes: u64,
}

/// A count that LAMMPS prints with a histogram over ranks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counts {
    /// Atoms owned.
    pub local: u64,
    /// Ghost atoms at the last build.
    pub ghost: u64,
    /// Entries of the full neighbour list at the last build.
    pub neighbors: u64,
}

/// One `run`, after its end: all that the log's closing lines and the JSON record need.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunRecord {
    /// Wall seconds of the loop.
    pub loop_seconds: f64,
    /// CPU seconds of the process in the loop.
    pub cpu_seconds: f64,
    /// Steps done.
    pub steps: u64,
    /// Atoms.
    pub atoms: u64,
    /// Time step, in the script's units.
    pub dt: f64,
    /// `lj`, `real`, `metal`.
    pub units: String,
    /// Counts at the end.
    pub counts: Counts,
    /// Neighbour list builds in the loop.
    pub builds: u64,
    /// Dangerous ones; `None` where `check no` does not look.
    pub dangerous: Option<u64>,
    /// Every kernel and transfer of the loop.
    pub kernels: Vec<KernelRecord>,
}
