//! `pair_style gauss CUTOFF`: E = -A exp(-B r^2) for r < cutoff.
//!
//! `pair_coeff I J A B [CUTOFF]`: an energy, an inverse distance squared, a distance, in the script's units.
//! LAMMPS manual, pair_style gauss.

use super::style::{Mix, Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Gauss {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Gauss { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Gauss {
    fn name(&self) -> &'static str {
        "gauss"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/gauss.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["a"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (an energy)")?;
        let b = args.f64("B (an inverse distance squared)")?;
        Ok(vec![a, b, cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        // B by way of the width s of the bell, B = 1 / (2 s^2). What repels (A < 0) does so with everything;
        // B is negative only where both are.
        let sign = |x: f64| -> f64 { if x < 0.0 { -1.0 } else { 1.0 } };
        let width = |b: f64| (0.5 / b.abs()).sqrt();
        let energy = rule.energy(a[0].abs(), b[0].abs(), width(a[1]), width(b[1]));
        let s = rule.distance(width(a[1]), width(b[1]));
        Some(vec![
            energy * sign(a[0]).min(sign(b[0])),
            0.5 / (s * s) * sign(a[1]).max(sign(b[1])),
            rule.distance(a[2], b[2]),
        ])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let energy = -params[0] * (-params[1] * rsq).exp();
        (2.0 * params[1] * energy, energy)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        vec![2.0 * params[0] * params[1], params[0], params[1], shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([12, 2])
    }
}
