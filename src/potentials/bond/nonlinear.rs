//! `bond_style nonlinear`: E = epsilon (r - r0)^2 / [lambda^2 - (r - r0)^2].
//!
//! `bond_coeff TYPE EPSILON R0 LAMBDA`: an energy, two distances. LAMMPS manual, bond_style nonlinear; D. N. Rector, F. van Swol and J. R.
//! Henderson, Molecular Physics 82, 1009 (1994).

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Nonlinear;

impl Style for Nonlinear {
    fn name(&self) -> &'static str {
        "nonlinear"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/nonlinear.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let epsilon = args.f64("epsilon (an energy)")?;
        Ok(vec![epsilon, args.f64("the distance r0")?, args.positive("the distance lambda")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let &[epsilon, r0, lambda] = &params[..] else { unreachable!("three numbers, see parse") };
        let (r, off) = (rsq.sqrt(), rsq.sqrt() - r0);
        let left = lambda * lambda - off * off;
        let force = if r > 0.0 { -2.0 * epsilon * off * lambda * lambda / (left * left) / r } else { 0.0 };
        Pull { force, energy: epsilon * off * off / left, long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        vec![params[0], params[1], params[2] * params[2]]
    }

    /// It pulls ever stronger up to r0 + lambda.
    fn longest(&self, params: &Params) -> f64 {
        params[1] + 2.0 * params[2]
    }
}
