//! `pair_style ufm CUTOFF`: E = -epsilon ln[1 - exp(-r^2/sigma^2)] for r < cutoff, Uhlenbeck and Ford's model.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energy and distances in the script's units. LAMMPS manual, pair_style ufm; R. Paula
//! Leite et al., J. Chem. Phys. 145, 194101 (2016). Behind the cutoff stands a factor of forces and energy, 1 unless `fix adapt`
//! changes it.

use super::lennard_jones;
use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Ufm {
    global: [f64; 2],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Ufm { global: [args.not_negative("the cutoff distance")?, 1.0] }))
}

impl Style for Ufm {
    fn name(&self) -> &'static str {
        "ufm"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/ufm.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma", "", "scale"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let epsilon = args.f64("epsilon (an energy)")?;
        let sigma = args.positive("sigma (a distance)")?;
        Ok(vec![epsilon, sigma, cutoff_or(args, self.global[0])?, 1.0])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        let mut mixed = lennard_jones::mix(rule, a, b);
        mixed[3] = 1.0;
        Some(mixed)
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        params[2]
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [epsilon, sigma, _, scale] = params[..] else { return (0.0, 0.0) };
        let (depth, x) = (scale * epsilon, rsq / sigma.powi(2));
        (2.0 * depth / (sigma.powi(2) * x.exp_m1()), -depth * (-(-x).exp()).ln_1p())
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [epsilon, sigma, _, scale] = params[..] else { return Vec::new() };
        vec![2.0 * scale * epsilon / sigma.powi(2), scale * epsilon, sigma.powi(-2), shift]
    }

    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        let cutoff = all || params[2] != self.global[0];
        Some(&params[..2 + usize::from(cutoff)])
    }
}
