//! `pair_style coul/cut CUTOFF`: E = C q_i q_j / (dielectric r) for r < cutoff; `pair_style coul/debye KAPPA CUTOFF`: the
//! same times exp(-kappa r), charges in an electrolyte, kappa an inverse distance; `pair_style coul/slater/cut LAMBDA
//! CUTOFF`: the same times 1 - (1 + r/lambda) exp(-2 r/lambda), clouds of charge of the width lambda.
//!
//! `pair_coeff I J [CUTOFF]`, a distance in the script's units. LAMMPS manual, the pages of these names. Behind the cutoff
//! stands a factor of forces and energy, 1 unless `fix adapt` changes it.

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// F / r and E of a parameter, a squared distance and the part of 1 that is missing.
type Force = fn(f64, f64, f64) -> (f64, f64);

struct CoulCut {
    name: &'static str,
    snippet: File,
    force: Force,
    /// What [`CoulCut::force`] begins with.
    parameter: f64,
    global: [f64; 2],
}

/// `coul/cut`.
pub(super) fn plain(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = kernel_file!("pair/coul_cut.cl");
    let global = [args.not_negative("the cutoff distance")?, 1.0];
    Ok(Box::new(CoulCut { name: "coul/cut", snippet, force: screened_force, parameter: 0.0, global }))
}

/// `coul/debye`.
pub(super) fn screened(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = kernel_file!("pair/coul_debye.cl");
    let kappa = args.f64("kappa (an inverse distance)")?;
    let global = [args.not_negative("the cutoff distance")?, 1.0];
    Ok(Box::new(CoulCut { name: "coul/debye", snippet, force: screened_force, parameter: kappa, global }))
}

/// `coul/slater/cut`.
pub(super) fn slater(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = kernel_file!("pair/coul_slater_cut.cl");
    let lambda = args.positive("lambda (a distance)")?;
    let global = [args.not_negative("the cutoff distance")?, 1.0];
    Ok(Box::new(CoulCut {
        name: "coul/slater/cut",
        snippet,
        force: slater_force,
        parameter: 1.0 / lambda,
        global,
    }))
}

impl Style for CoulCut {
    fn name(&self) -> &'static str {
        self.name
    }

    fn snippet(&self) -> File {
        self.snippet
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![cutoff_or(args, self.global[0])?, 1.0])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["", "scale"]
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![rule.distance(a[0], b[0]), 1.0])
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        params[0]
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        vec![scale(params), self.parameter]
    }

    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        Some(if params[0] == self.global[0] && !all { &[] } else { &params[..1] })
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, params: &[f64], rsq: f64, lack: f64) -> (f64, f64) {
        let (force, energy) = (self.force)(self.parameter, rsq, lack);
        (scale(params) * force, scale(params) * energy)
    }
}

/// The factor; those of restart files that were written before there was one have none.
fn scale(params: &[f64]) -> f64 {
    params.get(1).copied().unwrap_or(1.0)
}

/// F / r and E of exp(-kappa r) / r, of which a part `lack` of 1 is missing.
pub(super) fn screened_force(kappa: f64, rsq: f64, lack: f64) -> (f64, f64) {
    let r = rsq.sqrt();
    let energy = (1.0 - lack) * (-kappa * r).exp() / r;
    (energy * (kappa + 1.0 / r) / r, energy)
}

/// F / r and E of clouds: 1 / r - (1 / r + 1 / lambda) exp(-2 r / lambda), of which a part `lack` of 1 is missing, with 1 / lambda.
fn slater_force(inverse: f64, rsq: f64, lack: f64) -> (f64, f64) {
    let r = rsq.sqrt();
    let x = inverse * r;
    let (cloud, bare) = ((-2.0 * x).exp(), (1.0 - lack) / r);
    (bare / rsq * (1.0 - (1.0 + 2.0 * x * (1.0 + x)) * cloud), bare * (1.0 - (1.0 + x) * cloud))
}
