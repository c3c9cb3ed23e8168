//! `pair_style yukawa KAPPA CUTOFF`: E = A exp(-kappa r)/r for r < cutoff; kappa is an inverse distance.
//!
//! `pair_coeff I J A [CUTOFF]`: energy times distance, and a distance, in the script's units. LAMMPS manual,
//! pair_style yukawa.

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Yukawa {
    kappa: f64,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let kappa = args.f64("kappa (an inverse distance)")?;
    Ok(Box::new(Yukawa { kappa, global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Yukawa {
    fn name(&self) -> &'static str {
        "yukawa"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/yukawa.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["alpha"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (energy times distance)")?;
        Ok(vec![a, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![rule.energy(a[0], b[0], 1.0, 1.0), rule.distance(a[1], b[1])])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, kappa) = (rsq.sqrt(), self.kappa);
        let energy = params[0] * (-kappa * r).exp() / r;
        (energy * (kappa + 1.0 / r) / r, energy)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        vec![params[0], self.kappa, shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([36, 1])
    }
}
