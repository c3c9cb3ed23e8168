//! `pair_style born CUTOFF`: E = A exp((sigma - r)/rho) - C/r^6 + D/r^8 for r < cutoff.
//!
//! `pair_coeff I J A RHO SIGMA C D [CUTOFF]`: an energy, two distances, energy times distance^6 and ^8, in the
//! script's units. Unlike types do not mix. LAMMPS manual, pair_style born; F. G. Fumi and M. P. Tosi, Journal of
//! Physics and Chemistry of Solids 25, 31 (1964).

use super::style::{Params, Style, cutoff_or};
use super::tail;
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Born {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(with_cutoff(args.not_negative("the cutoff distance")?))
}

/// The style with a cutoff.
pub(super) fn with_cutoff(cutoff: f64) -> Box<dyn Style> {
    Box::new(Born { global: [cutoff] })
}

impl Style for Born {
    fn name(&self) -> &'static str {
        "born"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/born.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["a", "", "", "c", "d"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let a = args.f64("A (an energy)")?;
        let rho = args.positive("rho")?;
        let sigma = args.f64("sigma (a distance)")?;
        let c = args.f64("C (energy times distance^6)")?;
        let d = args.f64("D (energy times distance^8)")?;
        Ok(vec![a, rho, sigma, c, d, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [a, rho, sigma, c, d] = params[..5] else { return (0.0, 0.0) };
        let (r, r6) = (rsq.sqrt(), rsq.powi(3));
        let (repulsion, r8) = (a * ((sigma - r) / rho).exp(), r6 * rsq);
        (repulsion / (rho * r) - 6.0 * c / r8 + 8.0 * d / (r8 * rsq), repulsion - c / r6 + d / r8)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [a, rho, sigma, c, d] = params[..5] else { return Vec::new() };
        vec![a / rho, 6.0 * c, 8.0 * d, a, c, d, 1.0 / rho, sigma, shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([41, 6])
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [a, rho, sigma, c, d, cutoff] = params[..] else { return None };
        tail::sum([
            tail::exponential(a * (sigma / rho).exp(), rho, cutoff),
            tail::power(-c, 6.0, cutoff, 0.0),
            tail::power(d, 8.0, cutoff, 0.0),
        ])
    }
}
