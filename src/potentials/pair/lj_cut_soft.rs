//! `pair_style lj/cut/soft N ALPHA CUTOFF`: E = lambda^n 4 epsilon (1/s^2 - 1/s) with s = alpha (1 - lambda)^2 + (r/sigma)^6 for
//! r < cutoff: Lennard-Jones where lambda is 1, and soft on the way to nothing where it is 0, for free energies.
//!
//! `pair_coeff I J EPSILON SIGMA LAMBDA [CUTOFF]`, an energy, distances in the script's units and lambda without. Types mix where
//! they have one lambda. LAMMPS manual, pair_style lj/cut/soft; T. C. Beutler et al., Chem. Phys. Lett. 222, 529 (1994).

use super::style::{Mix, Params, Style, cutoff_or};
use super::{lennard_jones, tail};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct LjCutSoft {
    n: f64,
    alpha: f64,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let [n, alpha] = n_and_alpha(args)?;
    Ok(with_cutoff(n, alpha, args.not_negative("the cutoff distance")?))
}

/// The style with a cutoff.
pub(super) fn with_cutoff(n: f64, alpha: f64, cutoff: f64) -> Box<dyn Style> {
    Box::new(LjCutSoft { n, alpha, global: [cutoff] })
}

/// The exponent of lambda, and how soft what is left of atoms is.
pub(super) fn n_and_alpha(args: &mut Args<'_>) -> Result<[f64; 2]> {
    Ok([args.f64("the exponent n of lambda")?, args.f64("alpha")?])
}

impl LjCutSoft {
    /// What s has at r = 0, and lambda^n.
    fn softness(&self, params: &[f64]) -> (f64, f64) {
        (self.alpha * (1.0 - params[2]).powi(2), params[2].powf(self.n))
    }
}

impl Style for LjCutSoft {
    fn name(&self) -> &'static str {
        "lj/cut/soft"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_cut_soft.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma", "lambda"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        let lambda = args.not_negative("lambda")?;
        Ok(vec![epsilon, sigma, lambda, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        let mut mixed = lennard_jones::mix(rule, a, b);
        mixed[2] = a[2];
        (a[2] == b[2]).then_some(mixed)
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (least, share) = self.softness(params);
        let (epsilon, s6) = (4.0 * share * params[0], params[1].powi(6));
        let inverse = 1.0 / (least + rsq.powi(3) / s6);
        let force = 6.0 * epsilon * rsq * rsq / s6 * inverse * inverse * (2.0 * inverse - 1.0);
        (force, epsilon * inverse * (inverse - 1.0))
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let (least, share) = self.softness(params);
        let (epsilon, s6) = (4.0 * share * params[0], params[1].powi(6));
        vec![least, 1.0 / s6, 6.0 * epsilon / s6, epsilon, shift]
    }

    /// That of Lennard-Jones times lambda^n, as in LAMMPS: what is soft is small there.
    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [epsilon, sigma, _, cutoff] = params[..] else { return None };
        tail::lennard_jones(self.softness(params).1 * epsilon, sigma, cutoff)
    }
}
