//! `pair_style coul/cut CUTOFF`: E = C q_i q_j / (dielectric r) for r < cutoff, and `pair_style coul/debye KAPPA CUTOFF`:
//! the same times exp(-kappa r), charges in an electrolyte; kappa is an inverse distance.
//!
//! `pair_coeff I J [CUTOFF]`, a distance in the script's units. LAMMPS manual, pair_style coul/cut.

use super::{Mix, Params, Style, cutoff_or};
use crate::error::Result;
use crate::kernels::File;
use crate::script::Args;

struct CoulCut {
    name: &'static str,
    snippet: File,
    /// 0 where nothing screens the charges.
    kappa: f64,
    global: [f64; 1],
}

/// `coul/cut`.
pub(super) fn plain(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = ("pair/coul_cut.cl", include_str!("../../cl/pair/coul_cut.cl"));
    let global = [args.positive("the cutoff distance")?];
    Ok(Box::new(CoulCut { name: "coul/cut", snippet, kappa: 0.0, global }))
}

/// `coul/debye`.
pub(super) fn screened(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let snippet = ("pair/coul_debye.cl", include_str!("../../cl/pair/coul_debye.cl"));
    let kappa = args.f64("kappa (an inverse distance)")?;
    let global = [args.positive("the cutoff distance")?];
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
        Ok(vec![cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &Params, b: &Params) -> Option<Params> {
        Some(vec![rule.distance(a[0], b[0])])
    }

    fn evaluate(&self, _params: &Params, _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, _params: &Params, _shift: f64) -> Vec<f64> {
        vec![self.kappa]
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, _params: &Params, rsq: f64, lack: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let energy = (1.0 - lack) * (-self.kappa * r).exp() / r;
        (energy * (self.kappa + 1.0 / r) / r, energy)
    }
}
