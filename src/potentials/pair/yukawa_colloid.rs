//! `pair_style yukawa/colloid KAPPA CUTOFF`: E = A/kappa exp[-kappa (r - (r_i + r_j))] for r < cutoff, of spheres of the radii r_i and r_j
//! (`atom_style sphere`) with charged surfaces; kappa is an inverse distance.
//!
//! `pair_coeff I J A [CUTOFF]`: energy per distance, and a distance, in the script's units. Source: LAMMPS manual, `pair_style
//! yukawa/colloid`.

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct YukawaColloid {
    kappa: f64,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let kappa = args.positive("kappa (an inverse distance)")?;
    Ok(Box::new(YukawaColloid { kappa, global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for YukawaColloid {
    fn name(&self) -> &'static str {
        "yukawa/colloid"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/yukawa_colloid.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    /// The sum of both radii, A and the cutoff.
    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (energy per distance)")?;
        Ok(vec![0.0, a, cutoff_or(args, self.global[0])?])
    }

    fn with_radii(&self, params: &[f64], sum: f64) -> Option<Params> {
        Some([&[sum], &params[1..]].concat())
    }

    fn sized(&self) -> bool {
        true
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        let radii = 0.5 * (a[0] + b[0]);
        Some(vec![radii, rule.energy(a[1], b[1], 1.0, 1.0), rule.distance(a[2], b[2])])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, kappa) = (rsq.sqrt(), self.kappa);
        let force = params[1] * (-kappa * (r - params[0])).exp();
        (force / r, force / kappa)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        vec![params[1], self.kappa, params[0], shift, 1.0 / self.kappa]
    }

    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        let left_out = usize::from(params.ends_with(&self.global) && !all);
        Some(&params[1..params.len() - left_out])
    }
}
