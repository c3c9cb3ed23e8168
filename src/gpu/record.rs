//! The record of device time: the sections of the timing breakdown, and what each kernel or transfer cost.

use serde::{Deserialize, Serialize};

/// The rows of the breakdown, in the order in which LAMMPS prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Section {
    /// Pairwise forces and their tallies.
    Pair,
    /// Rebuild decision, sort, cells and lists.
    Neigh,
    /// Wrapping, ghost atoms, the extent of shrink-wrapped boxes.
    Comm,
    /// Thermo scalars, atoms brought back to the host, dumps, the log.
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
    /// Kernel name, or `read`, `write`, `map`, `unmap`, `copy`, `clear`, or `host`: what the host did itself, which is wall time.
    pub name: String,
    /// The row it is booked under.
    pub section: Section,
    /// How often it was enqueued; of whole steps how many they were.
    pub calls: u64,
    /// In so many commands: fewer where one made several steps.
    pub launches: u64,
    /// How many of these were timed by the device clock.
    pub sampled: u64,
    /// Device seconds of the sampled calls.
    pub sampled_seconds: f64,
    /// Estimate for all calls: mean sampled time times calls.
    pub seconds: f64,
    /// Bytes copied between host and device (0 for kernels and for maps of zero-copy buffers).
    pub bytes: u64,
    /// What all calls moved and computed, where that is counted.
    #[serde(flatten)]
    pub work: Option<KernelCost>,
}

/// The host's own work on fixes and output, by the wall's clock, without waiting for the device.
pub const HOST: &str = "host";

/// The same while the device is known to be busy.
pub const HOST_BESIDE: &str = "host beside";

/// What all calls of a kernel moved and computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelCost {
    /// Bytes between the device's memory and its processors.
    pub bytes_moved: f64,
    /// Floating-point operations.
    pub operations: f64,
}
