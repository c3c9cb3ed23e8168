//! `pair_style buck CUTOFF`: E = A exp(-r/rho) - C/r^6 for r < cutoff.
//!
//! `pair_coeff I J A RHO C [CUTOFF]`: an energy, a distance, energy times distance^6, in the script's units.
//! Unlike types do not mix. LAMMPS manual, pair_style buck; R. A. Buckingham, Proceedings of the Royal Society A
//! 168, 264 (1938).

use super::style::{Params, Style, cutoff_or};
use super::tail;
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Buck {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(with_cutoff(args.not_negative("the cutoff distance")?))
}

/// The style with a cutoff.
pub(super) fn with_cutoff(cutoff: f64) -> Box<dyn Style> {
    Box::new(Buck { global: [cutoff] })
}

impl Style for Buck {
    fn name(&self) -> &'static str {
        "buck"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/buck.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["a", "", "c"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (an energy)")?;
        let rho = args.positive("rho")?;
        let c = args.f64("C (energy times distance^6)")?;
        Ok(vec![a, rho, c, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [a, rho, c] = params[..3] else { return (0.0, 0.0) };
        let (r, r6) = (rsq.sqrt(), rsq.powi(3));
        let repulsion = a * (-r / rho).exp();
        (repulsion / (rho * r) - 6.0 * c / (r6 * rsq), repulsion - c / r6)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [a, rho, c] = params[..3] else { return Vec::new() };
        vec![a / rho, 6.0 * c, a, c, 1.0 / rho, shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([38, 4])
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [a, rho, c, cutoff] = params[..] else { return None };
        tail::sum([tail::exponential(a, rho, cutoff), tail::power(-c, 6.0, cutoff, 0.0)])
    }
}
