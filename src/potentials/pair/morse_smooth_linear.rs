//! `pair_style morse/smooth/linear CUTOFF`: E = M(r) - M(cutoff) - (r - cutoff) M'(cutoff) for r < cutoff, M = D [exp(-2 alpha (r - r0)) - 2
//! exp(-alpha (r - r0))]: energy and force end at zero.
//!
//! `pair_coeff I J D ALPHA R0 [CUTOFF]`: an energy, an inverse distance, a distance, in the script's units. Unlike types do not mix.
//! LAMMPS manual, pair_style morse/smooth/linear.

use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct MorseSmoothLinear {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(MorseSmoothLinear { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for MorseSmoothLinear {
    fn name(&self) -> &'static str {
        "morse/smooth/linear"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/morse_smooth_linear.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["d0", "alpha", "r0"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let depth = args.f64("D (an energy)")?;
        let alpha = args.f64("alpha (an inverse distance)")?;
        let r0 = args.f64("r0 (a distance)")?;
        Ok(vec![depth, alpha, r0, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> (f64, f64) {
        let (r, cutoff) = (rsq.sqrt(), params[3]);
        let ((force, energy), (force_there, energy_there)) = (morse(params, r), morse(params, cutoff));
        ((force - force_there) / r, energy - energy_there + (r - cutoff) * force_there)
    }

    fn coefficients(&self, params: &Params, shift: f64) -> Vec<f64> {
        let [depth, alpha, r0, cutoff] = params[..] else { return Vec::new() };
        let (force, energy) = morse(params, cutoff);
        vec![2.0 * depth * alpha, depth, alpha, r0, force, energy + cutoff * force + shift]
    }
}

/// F and E of M.
fn morse(params: &Params, r: f64) -> (f64, f64) {
    let [depth, alpha, r0] = params[..3] else { return (0.0, 0.0) };
    let x = (-alpha * (r - r0)).exp();
    (2.0 * depth * alpha * (x * x - x), depth * (x * x - 2.0 * x))
}
