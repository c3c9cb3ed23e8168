//! Where the curve is cut so that each rank has its part of the work, as `balance` and `fix balance` ask for.
//!
//! Work is counted in entries of lists. Their numbers are the same each time and say of each atom what it takes, so that one look
//! does; seconds are of whole ranks, and vary with what else a machine does and with what ranks wait for.

use super::{Shares, Weights};
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::device_atoms::DeviceAtoms;
use crate::gpu::record::Section;

/// What an atom takes besides, in entries. On two cores an entry took 3.4 ns in a step, and an atom of a gas 31 in the forces, 23 to be moved and 35
/// for lists that are built every 20 steps (PoCL 3.1, 2026-11-29).
const BESIDES: f64 = 25.0;

/// What counts as the work of an atom.
#[derive(Clone, Debug, PartialEq)]
pub struct AtomWork {
    /// Factors by atom ID, in the order of the IDs; 1 for all others.
    pub factors: Vec<(u32, f64)>,
    /// Whether the entries of its list count, too.
    pub counted: bool,
}

impl AtomWork {
    /// That of each of this rank's atoms, whose lists have so many entries.
    pub(in crate::engine) fn of(
        &self,
        entries: Vec<f64>,
        shares: &Shares,
        atoms: &DeviceAtoms,
    ) -> Result<Vec<f64>> {
        let mut work = entries;
        work.iter_mut().for_each(|work| *work = if self.counted { *work + BESIDES } else { 1.0 });
        if !self.factors.is_empty() && !work.is_empty() {
            let tags = atoms.arrays.tag.read(Section::Comm, shares.own())?;
            for (work, tag) in work.iter_mut().zip(tags) {
                if let Ok(place) = self.factors.binary_search_by_key(&tag, |(tag, _)| *tag) {
                    *work *= self.factors[place].1;
                }
            }
        }
        Ok(work)
    }
}

/// The most that a rank has of the work over the part that is its due, where that is more than nothing.
fn imbalance(work: &[f64], dues: &[f64]) -> f64 {
    let all: f64 = work.iter().sum();
    let of_due = work.iter().zip(dues).filter(|(_, due)| **due > 0.0).map(|(work, due)| work / (all * due));
    if all > 0.0 { of_due.fold(0.0, f64::max) } else { 1.0 }
}

impl Shares {
    /// The most work of a rank over its due, from that of each of this rank's atoms; and how many atoms each is to have so that all have their due.
    /// The same on all ranks.
    pub fn weigh(&self, work: &[f64], dues: &Weights) -> (f64, Weights) {
        let own: f64 = work.iter().sum();
        let of_ranks: Vec<f64> = ranks::all([own]).into_iter().map(|[work]| work).collect();
        let (all, parts) = (of_ranks.iter().sum::<f64>(), dues.parts());
        if all <= 0.0 {
            return (1.0, dues.clone());
        }
        let sums = |numbers: &[f64]| {
            let sum = |sum: &mut f64, number: &f64| {
                *sum += number;
                Some(*sum)
            };
            numbers.iter().scan(0.0, sum).collect::<Vec<f64>>()
        };
        let (ends, within, due) = (sums(&of_ranks), sums(work), sums(&parts));
        let (n, rank) = (self.parts.last().map_or(0, |part| part.end), ranks::rank());
        let begin = if rank == 0 { 0.0 } else { ends[rank - 1] };
        // Whoever has the work at which a rank's part ends says with which atom that is.
        let mut cuts: Vec<u64> = vec![0; due.len()];
        for (cut, due) in cuts.iter_mut().zip(&due) {
            let at = due * all;
            if at >= begin && at < ends[rank] {
                let before = within.partition_point(|end| begin + end <= at).min(work.len());
                *cut = (self.parts[rank].start + before) as u64 + 1;
            }
        }
        ranks::sum(&mut cuts);
        let mut last = 0;
        let atoms = cuts.iter().enumerate().map(|(k, &cut)| {
            let end = if cut == 0 || k + 1 == cuts.len() { n } else { (cut as usize - 1).max(last) };
            end - std::mem::replace(&mut last, end)
        });
        let atoms: Vec<f64> = atoms.map(|atoms| atoms as f64).collect();
        (imbalance(&of_ranks, &parts), Weights::new(&atoms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imbalance_is_the_most_work_over_its_due() {
        assert_eq!(imbalance(&[3.0, 1.0], &[0.5, 0.5]), 1.5);
        assert_eq!(imbalance(&[3.0, 1.0], &[0.75, 0.25]), 1.0);
        assert_eq!(imbalance(&[4.0, 0.0], &[1.0, 0.0]), 1.0);
        assert_eq!(imbalance(&[0.0, 0.0], &[0.5, 0.5]), 1.0);
    }
}
