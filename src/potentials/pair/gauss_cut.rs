//! `pair_style gauss/cut CUTOFF`: E = H / (width (2 pi)^(1/2)) exp[-(r - r0)^2 / (2 width^2)] for r < cutoff.
//!
//! `pair_coeff I J H R0 WIDTH [CUTOFF]`: energy times distance, and distances, in the script's units. LAMMPS manual, pair_style
//! gauss/cut; S. Lenart, A. Jusufi and A. Z. Panagiotopoulos, J. Chem. Phys. 126, 044509 (2007).

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use std::f64::consts::PI;

struct GaussCut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(GaussCut { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for GaussCut {
    fn name(&self) -> &'static str {
        "gauss/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/gauss_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["hgauss"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let height = args.f64("H (energy times distance)")?;
        let r0 = args.f64("the distance of the summit")?;
        let width = args.positive("the width")?;
        Ok(vec![height, r0, width, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        // What pulls (H < 0) does so with everything.
        let sign = if a[0] >= 0.0 && b[0] >= 0.0 { 1.0 } else { -1.0 };
        let height = sign * rule.energy(a[0].abs(), b[0].abs(), a[2], b[2]);
        let distances = (1..4).map(|k| rule.distance(a[k], b[k]));
        Some(std::iter::once(height).chain(distances).collect())
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [height, r0, width] = params[..3] else { return (0.0, 0.0) };
        let (r, dr) = (rsq.sqrt(), rsq.sqrt() - r0);
        let energy = height / (width * (2.0 * PI).sqrt()) * (-0.5 * (dr / width).powi(2)).exp();
        (dr / (width * width) * energy / r, energy)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [height, r0, width] = params[..3] else { return Vec::new() };
        vec![height / (width * (2.0 * PI).sqrt()), r0, 0.5 / (width * width), shift]
    }
}
