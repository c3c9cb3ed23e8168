//! Which part of the atoms each rank has: where ranks have devices of different kinds, and where a script asks for as much work for each.

use super::Simulation;
use crate::base::error::Result;
use crate::base::ranks;
use crate::engine::comm::{AtomWork, Weights};
use std::time::Instant;

/// How often forces are made for a measurement, of which the shortest time counts.
const REPEATS: usize = 3;

/// By how much numbers of atoms must differ, as a part of them, for the times to tell the one cost from the other.
const DIFFERENT: f64 = 0.2;

/// How long a device takes for the forces of a step: so many seconds, and so many for each atom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    whole: f64,
    each: f64,
}

impl Cost {
    /// From two measurements, of atoms and seconds. Where these say nothing of the whole, all of it is for the atoms; `None` where there were no atoms.
    fn of([(n, seconds), (other_n, other_seconds)]: [(f64, f64); 2]) -> Option<Self> {
        let each = (seconds - other_seconds) / (n - other_n);
        if n == 0.0 && other_n == 0.0 {
            return None;
        }
        let [alone, other] = [seconds / n.max(1.0), other_seconds / other_n.max(1.0)];
        let differ = (n - other_n).abs() > DIFFERENT * n.max(other_n);
        Some(match differ && each > 0.0 && each < alone.min(other) {
            true => Cost { whole: seconds - each * n, each },
            false if other_n > (1.0 - DIFFERENT) * n => Cost { whole: 0.0, each: alone.min(other) },
            false => Cost { whole: 0.0, each: alone },
        })
    }
}

/// How many of `n` atoms each is to have, so that all take the same time; none where the others are done before it would begin, or where nothing is
/// known of it.
fn even(costs: &[Option<Cost>], n: f64) -> Vec<f64> {
    let within = |seconds: f64| {
        let atoms =
            move |cost: &Cost| ((seconds - cost.whole) / cost.each.max(f64::MIN_POSITIVE)).clamp(0.0, n);
        costs.iter().map(move |cost| cost.as_ref().map_or(0.0, atoms))
    };
    let alone = costs.iter().flatten().map(|cost| cost.whole + cost.each * n);
    let [mut less, mut more] = [0.0, alone.fold(0.0, f64::max)];
    for _ in 0..100 {
        let middle = (less + more) / 2.0;
        if within(middle).sum::<f64>() < n { less = middle } else { more = middle }
    }
    within(more).collect()
}

/// The mean of the costs of ranks of the same kind, for each rank.
fn mean_by_kind(costs: &[Option<Cost>], kinds: &[usize]) -> Vec<Option<Cost>> {
    let mean = |kind: &usize| {
        let alike: Vec<Cost> = costs
            .iter()
            .zip(kinds)
            .filter(|(_, other)| *other == kind)
            .filter_map(|(cost, _)| *cost)
            .collect();
        let of = |number: fn(&Cost) -> f64| alike.iter().map(number).sum::<f64>() / alike.len() as f64;
        (!alike.is_empty()).then(|| Cost { whole: of(|cost| cost.whole), each: of(|cost| cost.each) })
    };
    kinds.iter().map(mean).collect()
}

impl Simulation {
    /// Has each rank have as many atoms as its device makes forces of in the same time: as they take it with equal shares, and with those
    /// that follow from that.
    pub(super) fn share_by_speed(&mut self) -> Result<()> {
        if self.neighbor.shares.is_none() || self.atoms.n == 0 {
            return Ok(());
        }
        let (n, gpu) = (self.atoms.n as f64, self.atoms.context.gpu.clone());
        let first = self.seconds_of_ranks()?;
        let alone: Vec<Option<Cost>> = first.iter().map(|&measured| Cost::of([measured; 2])).collect();
        self.share_as(&even(&mean_by_kind(&alone, gpu.kinds_of_ranks()), n))?;
        let second = self.seconds_of_ranks()?;
        let costs: Vec<Option<Cost>> =
            first.into_iter().zip(second).map(|(first, second)| Cost::of([first, second])).collect();
        log::debug!("seconds of each rank for forces: {costs:?}");
        self.share_as(&even(&mean_by_kind(&costs, gpu.kinds_of_ranks()), n))?;
        self.dues = self.neighbor.weights.clone();
        Ok(())
    }

    /// The parts of the work that ranks are to have.
    pub fn dues(&self) -> &Weights {
        &self.dues
    }

    /// The parts of the atoms that ranks have for the sake of the work, where these are others.
    pub fn cuts(&self) -> Option<Weights> {
        Some(&self.neighbor.weights).filter(|weights| **weights != self.dues).cloned()
    }

    /// The most work that a rank has, over its due; 1 where ranks share nothing. With a `threshold` below that, the next rebuild has shares
    /// by which all have their due, and this says so; but not where shares are that already, about, as whole blocks of cells allow. The same on all ranks.
    ///
    /// # Errors
    /// When the device fails.
    pub fn balance(&mut self, work: &AtomWork, threshold: f64) -> Result<(f64, bool)> {
        let (imbalance, weights) = self.weigh(work)?;
        let moves = imbalance > threshold && !weights.are_near(&self.neighbor.weights);
        if moves {
            log::debug!(
                "most work of a rank over its due: {imbalance}, shares to come: {:?}",
                weights.parts()
            );
            self.neighbor.weights = weights;
        }
        Ok((imbalance, moves))
    }

    /// The same without other shares.
    ///
    /// # Errors
    /// When the device fails.
    pub fn imbalance(&self, work: &AtomWork) -> Result<f64> {
        self.weigh(work).map(|(imbalance, _)| imbalance)
    }

    fn weigh(&self, work: &AtomWork) -> Result<(f64, Weights)> {
        let atoms = self.neighbor.work(&self.atoms, work)?;
        let weighed =
            self.neighbor.shares.as_ref().zip(atoms).map(|(shares, atoms)| shares.weigh(&atoms, &self.dues));
        Ok(weighed.unwrap_or_else(|| (1.0, self.neighbor.weights.clone())))
    }

    /// Before the first step: has the lists and forces of the shares that are to come.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn share_anew(&mut self) -> Result<()> {
        self.neighbor.rebuild(&mut self.atoms, &mut self.domain, &self.reductions)?;
        self.neighbor.make_room(&mut self.atoms)?;
        self.tallied_forces()
    }

    /// Shares atoms out anew.
    fn share_as(&mut self, atoms: &[f64]) -> Result<()> {
        self.neighbor.weights = Weights::new(atoms);
        self.share_anew()
    }

    /// How many atoms each rank has, and how long it takes for their forces while the others do the same.
    fn seconds_of_ranks(&self) -> Result<Vec<(f64, f64)>> {
        let own = self.neighbor.shares.as_ref().map_or(0, |shares| shares.own().len());
        let gpu = &self.atoms.context.gpu;
        let mut shortest = f64::INFINITY;
        for _ in 0..REPEATS {
            ranks::barrier();
            let clock = Instant::now();
            self.step_kernels.own_forces(&self.atoms, &self.neighbor)?;
            gpu.finish()?;
            shortest = shortest.min(clock.elapsed().as_secs_f64());
        }
        Ok(ranks::all([own as f64, shortest]).into_iter().map(|[own, seconds]| (own, seconds)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_take_the_same_time() {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * b.abs().max(1.0);
        let known = |measured| Cost::of(measured).expect("there are atoms");
        let cost = known([(1000.0, 3.0), (500.0, 2.0)]);
        assert!(near(cost.whole, 1.0) && near(cost.each, 0.002), "{cost:?}");
        // The same twice, or more for less: all of it for the atoms.
        assert_eq!(known([(1000.0, 3.0); 2]), Cost { whole: 0.0, each: 0.003 });
        assert_eq!(known([(1000.0, 3.0), (500.0, 4.0)]), Cost { whole: 0.0, each: 0.003 });
        assert_eq!(known([(1000.0, 3.0), (1100.0, 2.2)]), Cost { whole: 0.0, each: 0.002 });
        assert_eq!(Cost::of([(0.0, 3.0); 2]), None);
        let costs = [
            Cost { whole: 1.0, each: 0.01 },
            Cost { whole: 0.0, each: 0.03 },
            Cost { whole: 90.0, each: 1e-9 },
        ]
        .map(Some);
        let shares = even(&costs, 1000.0);
        assert!(near(shares.iter().sum(), 1000.0) && shares[2] == 0.0, "{shares:?}");
        assert!(near(1.0 + 0.01 * shares[0], 0.03 * shares[1]), "{shares:?}");
        let means = mean_by_kind(&costs, &[0, 1, 0]);
        assert_eq!((means[0], means[1]), (means[2], costs[1]));
        assert!(near(means[0].map_or(0.0, |cost| cost.whole), 45.5), "{means:?}");
        assert_eq!(
            mean_by_kind(&[costs[0], None, costs[1], None], &[0, 0, 2, 3]),
            [costs[0], costs[0], costs[1], None]
        );
        assert_eq!(even(&[costs[1], None], 1000.0), [1000.0, 0.0]);
    }
}
