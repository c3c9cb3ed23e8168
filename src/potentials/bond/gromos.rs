//! `bond_style gromos`: E = K (r^2 - r0^2)^2.
//!
//! `bond_coeff TYPE K R0`: energy per distance^4, a distance. LAMMPS manual, bond_style gromos.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Gromos;

impl Style for Gromos {
    fn name(&self) -> &'static str {
        "gromos"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/gromos.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![args.f64("K (energy per distance^4)")?, args.f64("the distance r0")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let off = rsq - params[1] * params[1];
        Pull { force: -4.0 * params[0] * off, energy: params[0] * off * off, long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        vec![params[0], params[1] * params[1]]
    }

    /// Three lengths, beyond which it is no molecule any more.
    fn longest(&self, params: &Params) -> f64 {
        3.0 * params[1].abs()
    }
}
