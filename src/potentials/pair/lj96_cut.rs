//! `pair_style lj96/cut CUTOFF`: E = 4 epsilon [(sigma/r)^9 - (sigma/r)^6] for r < cutoff.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF]`, energies and distances in the script's units. LAMMPS manual,
//! pair_style lj96/cut.

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Lj96Cut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Lj96Cut { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Lj96Cut {
    fn name(&self) -> &'static str {
        "lj96/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj96_cut.cl")
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
        Some(lennard_jones::mix(rule, a, b))
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> (f64, f64) {
        let (epsilon, s3) = (params[0], (params[1] / rsq.sqrt()).powi(3));
        let s6 = s3 * s3;
        (4.0 * epsilon * s6 * (9.0 * s3 - 6.0) / rsq, 4.0 * epsilon * s6 * (s3 - 1.0))
    }

    fn coefficients(&self, params: &Params, shift: f64) -> Vec<f64> {
        let (epsilon, s3) = (params[0], params[1].powi(3));
        vec![
            36.0 * epsilon * s3.powi(3),
            24.0 * epsilon * s3.powi(2),
            4.0 * epsilon * s3.powi(3),
            4.0 * epsilon * s3.powi(2),
            shift,
        ]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([26, 4])
    }

    fn tail(&self, params: &Params) -> Option<(f64, f64)> {
        let [epsilon, sigma, cutoff] = params[..] else { return None };
        tail::sum([
            tail::power(4.0 * epsilon * sigma.powi(9), 9.0, cutoff, 0.0),
            tail::power(-4.0 * epsilon * sigma.powi(6), 6.0, cutoff, 0.0),
        ])
    }
}
