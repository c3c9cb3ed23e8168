//! `bond_style morse`: E = D [1 - exp(-alpha (r - r0))]^2.
//!
//! `bond_coeff TYPE D ALPHA R0`: an energy, an inverse distance, a distance. LAMMPS manual, bond_style morse; P. M. Morse,
//! Physical Review 34, 57 (1929).

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Morse;

impl Style for Morse {
    fn name(&self) -> &'static str {
        "morse"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/morse.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let depth = args.f64("D (an energy)")?;
        Ok(vec![depth, args.f64("alpha (an inverse distance)")?, args.f64("the distance r0")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["d0", "alpha", "r0"]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let [depth, alpha, r0] = params[..] else { unreachable!("three numbers") };
        let r = rsq.sqrt();
        let decay = (-alpha * (r - r0)).exp();
        let force = if r > 0.0 { -2.0 * depth * alpha * (1.0 - decay) * decay / r } else { 0.0 };
        Pull { force, energy: depth * (1.0 - decay).powi(2), long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    /// As a harmonic bond; or where it pulls no more, if that is farther.
    fn longest(&self, params: &Params) -> f64 {
        (3.0 * params[2].abs()).max(params[2] + 5.0 / params[1].abs())
    }
}
