//! Ninth and sixth powers: `pair_style lj96/cut CUTOFF`, E = 4 epsilon [(sigma/r)^9 - (sigma/r)^6] for r < cutoff, and `pair_style lj/class2
//! CUTOFF`, E = epsilon [2 (sigma/r)^9 - 3 (sigma/r)^6], so that -epsilon is at sigma.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energies and distances in the script's units. Unlike types of lj/class2 mix by sixth powers,
//! whatever pair_modify says. LAMMPS manual, the pages of these names; H. Sun, J. Phys. Chem. B 102, 7338 (1998).

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct NineSix {
    name: &'static str,
    /// Of epsilon times the ninth power, and times the sixth.
    factors: [f64; 2],
    /// Instead of that of pair_modify.
    rule: Option<Mix>,
    global: [f64; 1],
}

/// `lj96/cut`.
pub(super) fn lj96_cut(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let global = [args.not_negative("the cutoff distance")?];
    Ok(Box::new(NineSix { name: "lj96/cut", factors: [4.0, 4.0], rule: None, global }))
}

/// `lj/class2`.
pub(super) fn class2(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(class2_with_cutoff(args.not_negative("the cutoff distance")?))
}

/// `lj/class2` with a cutoff.
pub(super) fn class2_with_cutoff(cutoff: f64) -> Box<dyn Style> {
    let rule = Some(Mix::SixthPower);
    Box::new(NineSix { name: "lj/class2", factors: [2.0, 3.0], rule, global: [cutoff] })
}

impl Style for NineSix {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/nine_six.cl")
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
        let mut mixed = lennard_jones::mix(self.rule.unwrap_or(rule), a, b);
        mixed[2] = rule.distance(a[2], b[2]);
        Some(mixed)
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (epsilon, s3) = (params[0], (params[1] / rsq.sqrt()).powi(3));
        let s6 = s3 * s3;
        let [nine, six] = self.factors;
        (epsilon * s6 * (9.0 * nine * s3 - 6.0 * six) / rsq, epsilon * s6 * (nine * s3 - six))
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let (epsilon, s3) = (params[0], params[1].powi(3));
        let [nine, six] = [self.factors[0] * epsilon * s3.powi(3), self.factors[1] * epsilon * s3.powi(2)];
        vec![9.0 * nine, 6.0 * six, nine, six, shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([26, 4])
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [epsilon, sigma, cutoff] = params[..] else { return None };
        let [nine, six] = self.factors;
        tail::sum([
            tail::power(nine * epsilon * sigma.powi(9), 9.0, cutoff, 0.0),
            tail::power(-six * epsilon * sigma.powi(6), 6.0, cutoff, 0.0),
        ])
    }
}
