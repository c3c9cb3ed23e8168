//! What trials of kernels have in common: whether simulations of the same atoms agree, and times taken in turns.

use std::time::Instant;

use crate::base::error::{Error, Result};
use crate::engine::simulation::{Ending, Simulation};
use crate::gpu::options::Precision;
use crate::gpu::record::Section;

/// Relative RMS difference of the forces that rounding may make where an atom has so many list entries, and the part of a list that may
/// differ: a pair at the list cutoff to within rounding. Errors of pairs add up as a random walk, and forces from all around cancel.
fn tolerance(precision: Precision, entries: f64) -> (f64, f64) {
    /// Entries per atom up to which the first figure holds.
    const FEW: f64 = 100.0;
    let (forces, lists) = if precision == Precision::Double { (1e-13, 1e-9) } else { (4e-6, 1e-5) };
    (forces * (entries / FEW).max(1.0).sqrt(), lists)
}

/// Atoms that may differ by more than rounding, besides one in 2,000: a pair at its cutoff to within rounding counts by one shape
/// and not by another. In the melt some 3 in 100,000 atoms have one (4 pi rc^2 rho times 4e-7), and its force is not small.
const AT_CUTOFF: usize = 4;

/// What kernels of any shape must find for the same atoms, within rounding.
pub struct Facts {
    entries: u64,
    forces: Vec<(u32, [f64; 3])>,
    energy: f64,
}

impl Facts {
    /// Of a simulation at its current step.
    ///
    /// # Errors
    /// When the device fails.
    pub fn of(simulation: &mut Simulation) -> Result<Self> {
        let entries = simulation.neighbor.pairs(&simulation.atoms)?;
        let forces = forces(simulation)?;
        simulation.tallied_forces()?;
        Ok(Facts { entries, forces, energy: simulation.sums()?.energy })
    }

    /// Whether another simulation of the same atoms has the same list, forces and energy within rounding.
    ///
    /// # Errors
    /// How it is wrong, or when the device fails.
    pub fn check(&self, simulation: &mut Simulation) -> Result<()> {
        let precision = simulation.atoms.context.numerics.precision;
        let found = Facts::of(simulation)?;
        if self.entries.abs_diff(found.entries) as f64 > tolerance(precision, 0.0).1 * self.entries as f64 {
            let entries = found.entries;
            return Err(Error::new(format!("wrong list: {entries} entries instead of {}", self.entries)));
        }
        self.agree(&found, precision)
    }

    /// Whether one with another skin, so with another list, has the same forces and energy within rounding.
    ///
    /// # Errors
    /// As [`Facts::check`].
    pub fn check_forces(&self, simulation: &mut Simulation) -> Result<()> {
        let precision = simulation.atoms.context.numerics.precision;
        self.agree(&Facts::of(simulation)?, precision)
    }

    fn agree(&self, found: &Facts, precision: Precision) -> Result<()> {
        let (rms_allowed, _) = tolerance(precision, self.entries as f64 / self.forces.len().max(1) as f64);
        let Facts { forces, energy, .. } = found;
        let square: f64 = self.forces.iter().flat_map(|(_, f)| f).map(|f| f * f).sum();
        let apart = |k: usize| {
            let [a, b] = [&forces[k].1, &self.forces[k].1];
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        let mut differences: Vec<f64> = (0..forces.len().min(self.forces.len())).map(apart).collect();
        differences.sort_unstable_by(f64::total_cmp);
        differences.truncate(differences.len().saturating_sub(AT_CUTOFF.max(forces.len() / 2000)));
        let difference: f64 = differences.iter().sum();
        // Where no force acts, rounding has nothing to be relative to.
        let error = (difference / square.max(f64::MIN_POSITIVE)).sqrt();
        if error.is_nan() || error > rms_allowed {
            return Err(Error::new(format!("wrong forces, by {error:.1e}")));
        }
        let off = (energy - self.energy).abs();
        if off.is_nan() || off > rms_allowed * self.energy.abs() {
            return Err(Error::new(format!("wrong energy: {energy} instead of {}", self.energy)));
        }
        Ok(())
    }
}

/// Forces by atom ID.
fn forces(simulation: &Simulation) -> Result<Vec<(u32, [f64; 3])>> {
    simulation.step_kernels.forces(&simulation.atoms, &simulation.neighbor, false)?;
    let tags = simulation.atoms.arrays.tag.read(Section::Output, 0..simulation.atoms.n)?;
    let mut forces: Vec<_> = tags.into_iter().zip(simulation.atoms.forces()?).collect();
    forces.sort_by_key(|(tag, _)| *tag);
    Ok(forces)
}

/// Wall seconds of so many whole steps with their rebuilds.
///
/// # Errors
/// When the device fails or the simulation goes wrong.
pub fn seconds(simulation: &mut Simulation, steps: u32) -> Result<f64> {
    let gpu = simulation.atoms.context.gpu.clone();
    gpu.finish()?;
    let clock = Instant::now();
    let mut done = 0;
    while done < steps {
        done += simulation.advance(steps - done, Ending::WITH_ATOMS)?;
        simulation.finish_step()?;
    }
    gpu.finish()?;
    Ok(clock.elapsed().as_secs_f64())
}

/// How many times as long the second of two things takes as the first: the median over repetitions, in each of which
/// they came one after the other, so that both found the machine alike. And how far off that may be,
/// relatively: 1.57 times the interquartile range of the ratios by the root of their number (McGill, Tukey and
/// Larsen, The American Statistician 32 (1978) 12).
pub fn ratio(first: &[f64], second: &[f64]) -> (f64, f64) {
    let mut ratios: Vec<f64> = first.iter().zip(second).map(|(first, second)| second / first).collect();
    ratios.sort_by(f64::total_cmp);
    let n = ratios.len();
    let range = ratios[3 * n / 4] - ratios[n / 4];
    let ratio = ratios[n / 2];
    (ratio, 1.57 * range / (n as f64).sqrt() / ratio)
}

/// The middle one; of an even number the upper middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
