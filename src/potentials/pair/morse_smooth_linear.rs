//! `pair_style morse/smooth/linear CUTOFF`: E = M(r) - M(cutoff) - (r - cutoff) M'(cutoff) for r < cutoff, M = D [exp(-2 alpha (r - r0)) - 2
//! exp(-alpha (r - r0))]: energy and force end at zero.
//!
//! `pair_coeff I J D ALPHA R0 [CUTOFF]`: an energy, an inverse distance, a distance, in the script's units. Unlike types do not mix.
//! LAMMPS manual, pair_style morse/smooth/linear.

use super::morse::{self, force_and_energy};
use super::style::{Params, Style};
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
        morse::parse(args, self.global[0])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, cutoff) = (rsq.sqrt(), params[3]);
        let ((force, energy), (force_there, energy_there)) =
            (force_and_energy(params, r), force_and_energy(params, cutoff));
        ((force - force_there) / r, energy - energy_there + (r - cutoff) * force_there)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [depth, alpha, r0, cutoff] = params[..] else { return Vec::new() };
        let (force, energy) = force_and_energy(params, cutoff);
        vec![2.0 * depth * alpha, depth, alpha, r0, force, energy + cutoff * force + shift]
    }
}
