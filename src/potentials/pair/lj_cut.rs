//! `pair_style lj/cut CUTOFF`: E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] for r < cutoff.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energies and distances in the script's units.

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct LjCut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(with_cutoff(args.not_negative("the cutoff distance")?))
}

/// The style with a cutoff.
pub(super) fn with_cutoff(cutoff: f64) -> Box<dyn Style> {
    Box::new(LjCut { global: [cutoff] })
}

impl Style for LjCut {
    fn name(&self) -> &'static str {
        "lj/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        Ok(vec![epsilon, sigma, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(lennard_jones::mix(rule, a, b))
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (epsilon, sigma) = (params[0], params[1]);
        let s6 = sigma.powi(6) / rsq.powi(3);
        let (force, energy) = lennard_jones::force_and_energy(epsilon, s6);
        (force / rsq, energy)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        [&lennard_jones::coefficients(params)[..], &[shift]].concat()
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([16, 4])
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [epsilon, sigma, cutoff] = params[..] else { return None };
        tail::lennard_jones(epsilon, sigma, cutoff)
    }
}
