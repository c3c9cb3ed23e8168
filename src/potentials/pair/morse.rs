//! `pair_style morse CUTOFF`: E = D [exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))] for r < cutoff.
//!
//! `pair_coeff I J D ALPHA R0 [CUTOFF]`: an energy, an inverse distance, a distance, in the script's units.
//! Unlike types do not mix. LAMMPS manual, pair_style morse; P. M. Morse, Physical Review 34, 57 (1929).

use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Morse {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Morse { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Morse {
    fn name(&self) -> &'static str {
        "morse"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/morse.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["d0", "alpha", "r0"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        parse(args, self.global[0])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let (force, energy) = force_and_energy(params, r);
        (force / r, energy)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [depth, alpha, r0] = params[..3] else { return Vec::new() };
        vec![2.0 * depth * alpha, depth, alpha, r0, shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([35, 4])
    }
}

/// Takes D, alpha, r0 and perhaps a cutoff.
pub(super) fn parse(args: &mut Args<'_>, cutoff: f64) -> Result<Params> {
    let depth = args.f64("D (an energy)")?;
    let alpha = args.f64("alpha (an inverse distance)")?;
    let r0 = args.f64("r0 (a distance)")?;
    Ok(vec![depth, alpha, r0, cutoff_or(args, cutoff)?])
}

/// F and E at a distance, of parameters that begin with D, alpha, r0.
pub(super) fn force_and_energy(params: &[f64], r: f64) -> (f64, f64) {
    let [depth, alpha, r0] = params[..3] else { return (0.0, 0.0) };
    let x = (-alpha * (r - r0)).exp();
    (2.0 * depth * alpha * (x * x - x), depth * (x * x - 2.0 * x))
}
