//! `bond_style harmonic`: E = K (r - r0)^2.
//!
//! `bond_coeff TYPE K R0`: energy per squared distance (the usual 1/2 is in K) and a distance. LAMMPS manual,
//! bond_style harmonic.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Harmonic;

impl Style for Harmonic {
    fn name(&self) -> &'static str {
        "harmonic"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/harmonic.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![args.f64("K (energy per squared distance)")?, args.f64("the distance r0")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["k", "r0"]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let (r, off) = (rsq.sqrt(), rsq.sqrt() - params[1]);
        let force = if r > 0.0 { -2.0 * params[0] * off / r } else { 0.0 };
        Pull { force, energy: params[0] * off * off, long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    /// A harmonic bond has no end: three lengths, beyond which it is no molecule any more.
    fn longest(&self, params: &Params) -> f64 {
        3.0 * params[1].abs()
    }
}
