//! `pair_style lj/expand CUTOFF`: E = 4 epsilon [(sigma/s)^12 - (sigma/s)^6] with s = r - delta, for
//! s < cutoff.
//!
//! `pair_coeff I J EPSILON SIGMA DELTA [CUTOFF]`, energies and distances in the script's units. LAMMPS manual,
//! pair_style lj/expand.

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// F/r and E at a squared distance, of epsilon, sigma and delta.
pub(super) fn evaluate([epsilon, sigma, delta]: [f64; 3], rsq: f64) -> (f64, f64) {
    let r = rsq.sqrt();
    let s = r - delta;
    let (force, energy) = lennard_jones::force_and_energy(epsilon, (sigma / s).powi(6));
    (force / (s * r), energy)
}

/// What shifts the energy. As LAMMPS has it, delta counts twice: the energy at s = cutoff + delta, not at s = cutoff.
pub(super) fn shift([epsilon, sigma, delta]: [f64; 3], cutoff: f64) -> f64 {
    lennard_jones::force_and_energy(epsilon, (sigma / (cutoff + delta)).powi(6)).1
}

/// The numbers of cl/pair/lj_expand.cl.
pub(super) fn coefficients(numbers: [f64; 3], shift: f64) -> Vec<f64> {
    [&lennard_jones::coefficients(&numbers)[..], &[numbers[2], shift]].concat()
}

/// What the kernel takes for a pair within the cutoff.
pub(super) const OPERATIONS: [u32; 2] = [38, 4];

/// Epsilon, sigma and delta.
fn numbers(params: &[f64]) -> [f64; 3] {
    [params[0], params[1], params[2]]
}

struct LjExpand {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(LjExpand { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for LjExpand {
    fn name(&self) -> &'static str {
        "lj/expand"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_expand.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma", "delta"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        let delta = args.f64("delta (a distance)")?;
        Ok(vec![epsilon, sigma, delta, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![
            rule.energy(a[0], b[0], a[1], b[1]),
            rule.distance(a[1], b[1]),
            0.5 * (a[2] + b[2]), // whatever the rule
            rule.distance(a[3], b[3]),
        ])
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        params[3] + params[2]
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        evaluate(numbers(params), rsq)
    }

    fn shift(&self, params: &[f64]) -> f64 {
        shift(numbers(params), params[3])
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        coefficients(numbers(params), shift)
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some(OPERATIONS)
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [epsilon, sigma, delta, cutoff] = params[..] else { return None };
        let s6 = sigma.powi(6);
        tail::sum([
            tail::power(4.0 * epsilon * s6 * s6, 12.0, cutoff, delta),
            tail::power(-4.0 * epsilon * s6, 6.0, cutoff, delta),
        ])
    }
}
