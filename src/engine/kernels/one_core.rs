//! How many atoms are left to one core of a CPU without threads, on which a launch is no way to other threads.

use super::launch_config::alone;
use crate::gpu::options::Precision;

/// Times as many atoms as one work-item makes steps of, with as many neighbours, are worth leaving the other cores asleep, where that spares each
/// launch the way from one thread to another.
const LEFT_ASLEEP: usize = 2;

/// Times as many neighbours, besides, where the host has a part in each step, so that it has some ten launches: with them a step of one core
/// takes as long as the ways to other threads.
const WAITED_FOR: f64 = 8.0;

/// The same where atoms come or go every now and then, divided by the cores: for each time the run is set up anew, in some hundred launches. Measured on
/// two cores (docs/notes/small-systems.md).
const SET_UP_ANEW: f64 = 8.0;

/// What a run launches besides steps and rebuilds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launches {
    /// Nothing.
    Few,
    /// Set-ups for atoms that come or go, once in some hundred steps or oftener.
    SetUps,
    /// What the host has a part in, at each step.
    EachStep,
}

impl Launches {
    /// Whether one core makes a step of so many atoms, with so many neighbours together, about as fast as all `cores` of a CPU do.
    pub fn one_core_will_do(self, atoms: usize, neighbors: f64, cores: u32, precision: Precision) -> bool {
        let (most, most_neighbors) = alone(1, precision);
        let times = match self {
            Launches::Few => 1.0,
            Launches::SetUps => (SET_UP_ANEW / f64::from(cores)).max(1.0),
            Launches::EachStep => WAITED_FOR,
        };
        atoms <= LEFT_ASLEEP * most && neighbors <= times * most_neighbors
    }
}
