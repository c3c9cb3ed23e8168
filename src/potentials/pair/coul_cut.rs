//! `pair_style coul/cut CUTOFF`: E = C q_i q_j / (dielectric r) for r < cutoff, and `pair_style coul/debye KAPPA CUTOFF`:
//! the same times exp(-kappa r), charges in an electrolyte; kappa is an inverse distance.
//!
//! `pair_coeff I J [CUTOFF]`, a distance in the script's units. LAMMPS manual, pair_style coul/cut. Behind the cutoff stands a
//! factor of forces and energy, 1 unless `fix adapt` changes it.

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct CoulCut {
    name: &'static str,
    snippet: File,
    /// 0 where nothing screens the charges.
    kappa: f64,
    global: [f64; 2],
}

/// `coul/cut`.
pub(super) fn plain(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = kernel_file!("pair/coul_cut.cl");
    let global = [args.not_negative("the cutoff distance")?, 1.0];
    Ok(Box::new(CoulCut { name: "coul/cut", snippet, kappa: 0.0, global }))
}

/// `coul/debye`.
pub(super) fn screened(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = kernel_file!("pair/coul_debye.cl");
    let kappa = args.f64("kappa (an inverse distance)")?;
    let global = [args.not_negative("the cutoff distance")?, 1.0];
    Ok(Box::new(CoulCut { name: "coul/debye", snippet, kappa, global }))
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

    fn mix(&self, rule: Mix, a: &Params, b: &Params) -> Option<Params> {
        Some(vec![rule.distance(a[0], b[0]), 1.0])
    }

    fn cutoff(&self, params: &Params) -> f64 {
        params[0]
    }

    fn evaluate(&self, _params: &Params, _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, params: &Params, _shift: f64) -> Vec<f64> {
        vec![scale(params), self.kappa]
    }

    fn words<'a>(&self, params: &'a Params, all: bool) -> Option<&'a [f64]> {
        Some(if params[0] == self.global[0] && !all { &[] } else { &params[..1] })
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, params: &Params, rsq: f64, lack: f64) -> (f64, f64) {
        let (force, energy) = screened_force(self.kappa, rsq, lack);
        (scale(params) * force, scale(params) * energy)
    }
}

/// The factor; those of restart files that were written before there was one have none.
fn scale(params: &Params) -> f64 {
    params.get(1).copied().unwrap_or(1.0)
}

/// F / r and E of exp(-kappa r) / r, of which a part `lack` of 1 is missing.
pub(super) fn screened_force(kappa: f64, rsq: f64, lack: f64) -> (f64, f64) {
    let r = rsq.sqrt();
    let energy = (1.0 - lack) * (-kappa * r).exp() / r;
    (energy * (kappa + 1.0 / r) / r, energy)
}
