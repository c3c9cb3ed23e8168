//! `pair_style beck CUTOFF`: E = A exp(-alpha r - beta r^6) - B/(r^2 + a^2)^3 [1 + (2.709 + 3 a^2)/(r^2 + a^2)] for r < cutoff: helium.
//!
//! `pair_coeff I J A B a ALPHA BETA [CUTOFF]`: an energy, energy times distance^6, a distance, inverse distances to the first and
//! sixth power, in the script's units. Unlike types do not mix. LAMMPS manual, pair_style beck; D. E. Beck, Mol. Phys. 14, 311 (1968).

use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Beck {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Beck { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Beck {
    fn name(&self) -> &'static str {
        "beck"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/beck.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (an energy)")?;
        let b = args.f64("B (energy times distance^6)")?;
        let width = args.f64("a (a distance)")?;
        let alpha = args.f64("alpha (an inverse distance)")?;
        let beta = args.f64("beta (an inverse distance^6)")?;
        Ok(vec![a, b, width, alpha, beta, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [a, b, width, alpha, beta] = params[..5] else { return (0.0, 0.0) };
        let (r, near) = (rsq.sqrt(), 1.0 / (rsq + width * width));
        let (r5, more) = (r * rsq * rsq, 2.709 + 3.0 * width * width);
        let repulsion = a * (-alpha * r - beta * rsq.powi(3)).exp();
        let force =
            repulsion * (alpha + 6.0 * beta * r5) / r - 2.0 * b * near.powi(4) * (3.0 + 4.0 * more * near);
        (force, repulsion - b * near.powi(3) * (1.0 + more * near))
    }

    /// LAMMPS does not shift it.
    fn shift(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [a, b, width, alpha, beta] = params[..5] else { return Vec::new() };
        vec![a, b, width * width, 2.709 + 3.0 * width * width, alpha, beta, shift]
    }
}
