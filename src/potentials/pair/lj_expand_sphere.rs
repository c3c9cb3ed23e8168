//! `pair_style lj/expand/sphere CUTOFF`: E = 4 epsilon [(sigma/s)^12 - (sigma/s)^6] with s = r - (r_i + r_j), for s < cutoff, of spheres of the
//! radii r_i and r_j (`atom_style sphere`): lj/expand whose delta is the sum of both radii.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energies and distances in the script's units. Source: LAMMPS manual, pair_style lj/expand/sphere.

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, lj_expand};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// Epsilon, sigma and the sum of both radii, as lj/expand takes them.
fn numbers(params: &[f64]) -> [f64; 3] {
    [params[1], params[2], params[0]]
}

struct LjExpandSphere {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(LjExpandSphere { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for LjExpandSphere {
    fn name(&self) -> &'static str {
        "lj/expand/sphere"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_expand.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    /// The sum of both radii, epsilon, sigma and the cutoff.
    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        Ok(vec![0.0, epsilon, sigma, cutoff_or(args, self.global[0])?])
    }

    fn with_radii(&self, params: &[f64], sum: f64) -> Option<Params> {
        Some([&[sum], &params[1..]].concat())
    }

    fn sized(&self) -> bool {
        true
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![
            0.5 * (a[0] + b[0]),
            rule.energy(a[1], b[1], a[2], b[2]),
            rule.distance(a[2], b[2]),
            rule.distance(a[3], b[3]),
        ])
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        params[3] + params[0]
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        lj_expand::evaluate(numbers(params), rsq)
    }

    fn shift(&self, params: &[f64]) -> f64 {
        lj_expand::shift(numbers(params), params[3])
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        lj_expand::coefficients(numbers(params), shift)
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some(lj_expand::OPERATIONS)
    }

    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        let left_out = usize::from(params.ends_with(&self.global) && !all);
        Some(&params[1..params.len() - left_out])
    }
}
