//! `pair_style soft CUTOFF`: E = A [1 + cos(pi r / cutoff)] for r < cutoff, finite where atoms overlap.
//!
//! `pair_coeff I J A [CUTOFF]`: an energy and a distance in the script's units. LAMMPS manual, pair_style soft.

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use std::f64::consts::PI;

struct Soft {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Soft { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Soft {
    fn name(&self) -> &'static str {
        "soft"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/soft.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["a"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (an energy)")?;
        Ok(vec![a, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![rule.energy(a[0], b[0], 1.0, 1.0), rule.distance(a[1], b[1])])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let k = PI / params[1];
        let x = k * rsq.sqrt();
        let slope = if x > 0.0 { x.sin() / x } else { 1.0 };
        (params[0] * k * k * slope, params[0] * (1.0 + x.cos()))
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        vec![params[0], 1.0 / params[1], shift, params[0] * PI / params[1]]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([32, 13])
    }
}
