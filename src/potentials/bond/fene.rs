//! `bond_style fene`: E = -K R0^2 / 2 ln(1 - (r/R0)^2) + 4 eps [(sigma/r)^12 - (sigma/r)^6] + eps, the last two terms
//! for r < 2^(1/6) sigma.
//!
//! `bond_coeff TYPE K R0 EPS SIGMA`: energy per squared distance, a distance, an energy, a distance. LAMMPS manual,
//! bond_style fene; Kremer and Grest, J. Chem. Phys. 92, 5057 (1990). Where a bond nears R0, 1 - (r/R0)^2 is kept at
//! 0.1 or above, as in LAMMPS; a bond of 2 R0 is broken.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Fene;

impl Style for Fene {
    fn name(&self) -> &'static str {
        "fene"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/fene.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let k = args.f64("K (energy per squared distance)")?;
        let r0 = args.positive("the distance R0")?;
        Ok(vec![k, r0, args.f64("epsilon (an energy)")?, args.f64("the distance sigma")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["k", "r0"]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let &[k, r0, epsilon, sigma] = &params[..] else { unreachable!("four numbers, see parse") };
        let left = 1.0 - rsq / (r0 * r0);
        let kept = if left < 0.1 { 0.1 } else { left };
        let mut pull = Pull {
            force: -k / kept,
            energy: -0.5 * k * r0 * r0 * kept.ln(),
            long: left < 0.1,
            broken: left <= -3.0,
        };
        if rsq < sigma * sigma * 2f64.cbrt() {
            let s6 = (sigma * sigma / rsq).powi(3);
            pull.force += 48.0 * epsilon * s6 * (s6 - 0.5) / rsq;
            pull.energy += 4.0 * epsilon * s6 * (s6 - 1.0) + epsilon;
        }
        pull
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        let &[k, r0, epsilon, sigma] = &params[..] else { unreachable!("four numbers, see parse") };
        let squared = sigma * sigma;
        vec![k, 1.0 / (r0 * r0), -0.5 * k * r0 * r0, epsilon, squared, squared * 2f64.cbrt()]
    }

    fn longest(&self, params: &Params) -> f64 {
        2.0 * params[1]
    }

    fn broken(&self) -> &'static str {
        "it is longer than 2 R0"
    }
}
