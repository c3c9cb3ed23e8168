//! `pair_style lj/class2 CUTOFF`: E = epsilon [2 (sigma/r)^9 - 3 (sigma/r)^6] for r < cutoff, so that -epsilon is at sigma.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energies and distances in the script's units. Unlike types mix by sixth powers, whatever
//! pair_modify says. LAMMPS manual, pair_style lj/class2; H. Sun, J. Phys. Chem. B 102, 7338 (1998).

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct LjClass2 {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(with_cutoff(args.not_negative("the cutoff distance")?))
}

/// The style with a cutoff.
pub(super) fn with_cutoff(cutoff: f64) -> Box<dyn Style> {
    Box::new(LjClass2 { global: [cutoff] })
}

impl Style for LjClass2 {
    fn name(&self) -> &'static str {
        "lj/class2"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_class2.cl")
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

    fn mix(&self, rule: Mix, a: &Params, b: &Params) -> Option<Params> {
        let mut mixed = lennard_jones::mix(Mix::SixthPower, &a[..2].to_vec(), &b[..2].to_vec());
        mixed.push(rule.distance(a[2], b[2]));
        Some(mixed)
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> (f64, f64) {
        let (epsilon, s3) = (params[0], (params[1] / rsq.sqrt()).powi(3));
        let s6 = s3 * s3;
        (18.0 * epsilon * s6 * (s3 - 1.0) / rsq, epsilon * s6 * (2.0 * s3 - 3.0))
    }

    fn coefficients(&self, params: &Params, shift: f64) -> Vec<f64> {
        let (epsilon, s3) = (params[0], params[1].powi(3));
        vec![
            18.0 * epsilon * s3.powi(3),
            18.0 * epsilon * s3.powi(2),
            2.0 * epsilon * s3.powi(3),
            3.0 * epsilon * s3.powi(2),
            shift,
        ]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([26, 4])
    }

    fn tail(&self, params: &Params) -> Option<(f64, f64)> {
        let [epsilon, sigma, cutoff] = params[..] else { return None };
        tail::sum([
            tail::power(2.0 * epsilon * sigma.powi(9), 9.0, cutoff, 0.0),
            tail::power(-3.0 * epsilon * sigma.powi(6), 6.0, cutoff, 0.0),
        ])
    }
}
