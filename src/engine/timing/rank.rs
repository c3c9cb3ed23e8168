//! What one rank has of a run, and figures over ranks as LAMMPS prints them.

use super::RunRecord;
use crate::base::format::g;
use crate::gpu::record::Section;
use serde::Serialize;

/// Seconds of a loop that is too short for advice on ranks.
const LEAST_ADVISED: f64 = 1.0;
/// The part of a loop that another one is to take at most to be called faster: one rank puts atoms in order, too, which is in Comm.
const SURELY_LESS: f64 = 0.9;

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

/// What one rank has of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankRecord {
    /// Wall seconds of its loop.
    pub loop_seconds: f64,
    /// CPU seconds of its process in the loop.
    pub cpu_seconds: f64,
    /// Wall seconds of the loop in which it waited for other ranks, or for messages.
    pub waiting_seconds: f64,
    /// Seconds of each section, in the order of [`Section::ALL`].
    pub sections: [f64; Section::ALL.len()],
    /// Counts at the end.
    pub counts: Counts,
}

impl RankRecord {
    /// As numbers, to be told to other ranks.
    pub(super) fn numbers(&self) -> [f64; Section::ALL.len() + 6] {
        let mut numbers = [0.0; Section::ALL.len() + 6];
        let Counts { local, ghost, neighbors } = self.counts;
        numbers[..6].copy_from_slice(&[
            self.loop_seconds,
            self.cpu_seconds,
            local as f64,
            ghost as f64,
            neighbors as f64,
            self.waiting_seconds,
        ]);
        numbers[6..].copy_from_slice(&self.sections);
        numbers
    }

    pub(super) fn of_numbers(numbers: &[f64]) -> Self {
        let [local, ghost, neighbors] = [2, 3, 4].map(|k| numbers[k] as u64);
        RankRecord {
            loop_seconds: numbers[0],
            cpu_seconds: numbers[1],
            waiting_seconds: numbers[5],
            sections: std::array::from_fn(|k| numbers[6 + k]),
            counts: Counts { local, ghost, neighbors },
        }
    }
}

/// Least, mean and largest.
pub fn spread(values: &[f64]) -> [f64; 3] {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    [least, mean, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
}

/// `%varavg` of LAMMPS: 100 (mean of squares / mean - mean)^(1/2), where the mean is a millisecond or more.
pub(super) fn variation(seconds: &[f64], mean: f64) -> f64 {
    let squares = seconds.iter().map(|seconds| seconds * seconds).sum::<f64>() / seconds.len() as f64;
    let variance = squares / mean - mean;
    if mean > 0.001 && variance > 1e-10 { 100.0 * variance.sqrt() } else { 0.0 }
}

/// Ranks in each tenth of the way from the least to the largest count, as LAMMPS prints it.
pub(super) fn histogram(counts: &[f64], least: f64, largest: f64) -> String {
    let mut bins = [0; 10];
    for count in counts {
        let tenth = if largest > least { (count - least) / (largest - least) * 10.0 } else { 0.0 };
        bins[(tenth as usize).min(9)] += 1;
    }
    bins.map(|number| number.to_string()).join(" ")
}

impl RunRecord {
    /// What is to be said where ranks would have done better as one: what they did besides Comm, all of it one after another, takes less than the
    /// loop did.
    pub fn advice(&self) -> Option<String> {
        let comm = self.ranks.iter().map(|rank| rank.sections[Section::Comm as usize]).sum::<f64>();
        let alone = self.loop_seconds * self.ranks.len() as f64 - comm;
        let worth = self.ranks.len() > 1
            && self.loop_seconds > LEAST_ADVISED
            && alone < SURELY_LESS * self.loop_seconds;
        worth.then(|| {
            format!(
                "Note: Comm is {:.0} % of this loop; one rank would take less than {} s for all else, and likely be faster",
                self.share(100.0 * comm / self.ranks.len() as f64),
                g(alone, 3)
            )
        })
    }
}
