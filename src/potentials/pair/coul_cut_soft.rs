//! `pair_style coul/cut/soft N ALPHA CUTOFF`: E = C lambda^n q_i q_j / (dielectric [r^2 + alpha (1 - lambda)^2]^(1/2)) for
//! r < cutoff, alpha in distance^2: charges that come or go, for free energies.
//!
//! `pair_coeff I J LAMBDA [CUTOFF]`. Types mix where they have one lambda. LAMMPS manual, pair_style coul/cut/soft.

use super::coul_cut::screened_force;
use super::lj_cut_soft::n_and_alpha;
use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// The force between such charges.
pub(super) struct SoftCharges {
    pub(super) n: f64,
    pub(super) alpha: f64,
}

impl SoftCharges {
    /// lambda^n, and what is added to r^2.
    pub(super) fn softness(&self, lambda: f64) -> [f64; 2] {
        [lambda.powf(self.n), self.alpha * (1.0 - lambda).powi(2)]
    }

    /// As [`Style::coulomb`].
    pub(super) fn evaluate(&self, lambda: f64, rsq: f64, lack: f64) -> (f64, f64) {
        let [share, least] = self.softness(lambda);
        let (force, energy) = screened_force(0.0, rsq + least, lack);
        (share * force, share * energy)
    }
}

struct CoulCutSoft {
    charges: SoftCharges,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let [n, alpha] = n_and_alpha(args)?;
    let global = [args.not_negative("the cutoff distance")?];
    Ok(Box::new(CoulCutSoft { charges: SoftCharges { n, alpha }, global }))
}

impl Style for CoulCutSoft {
    fn name(&self) -> &'static str {
        "coul/cut/soft"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/coul_cut_soft.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["lambda"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![args.not_negative("lambda")?, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        (a[0] == b[0]).then(|| vec![a[0], rule.distance(a[1], b[1])])
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        self.charges.softness(params[0]).to_vec()
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, params: &[f64], rsq: f64, lack: f64) -> (f64, f64) {
        self.charges.evaluate(params[0], rsq, lack)
    }
}
