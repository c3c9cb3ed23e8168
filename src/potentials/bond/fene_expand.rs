//! `bond_style fene/expand`: as fene with r - delta for r: E = -K R0^2 / 2 ln(1 - ((r - delta)/R0)^2) + 4 eps [(sigma/(r - delta))^12 -
//! (sigma/(r - delta))^6] + eps, the last two terms for r - delta < 2^(1/6) sigma.
//!
//! `bond_coeff TYPE K R0 EPS SIGMA DELTA`: energy per squared distance, a distance, an energy, two distances. LAMMPS manual, bond_style
//! fene/expand. Where a bond nears its end, the logarithm's argument is kept at 0.1 or above, as in LAMMPS; one of 2 R0 + delta is broken.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct FeneExpand;

impl Style for FeneExpand {
    fn name(&self) -> &'static str {
        "fene/expand"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/fene_expand.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let k = args.f64("K (energy per squared distance)")?;
        let r0 = args.positive("the distance R0")?;
        let epsilon = args.f64("epsilon (an energy)")?;
        Ok(vec![k, r0, epsilon, args.f64("the distance sigma")?, args.f64("the distance delta")?])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let &[k, r0, epsilon, sigma, delta] = &params[..] else { unreachable!("five numbers, see parse") };
        let (r, s) = (rsq.sqrt(), rsq.sqrt() - delta);
        let left = 1.0 - s * s / (r0 * r0);
        let kept = if left < 0.1 { 0.1 } else { left };
        let mut pull = Pull {
            force: -k * s / kept / r,
            energy: -0.5 * k * r0 * r0 * kept.ln(),
            long: left < 0.1,
            broken: left <= -3.0,
        };
        if s * s < sigma * sigma * 2f64.cbrt() {
            let s6 = (sigma * sigma / (s * s)).powi(3);
            pull.force += 48.0 * epsilon * s6 * (s6 - 0.5) / s / r;
            pull.energy += 4.0 * epsilon * s6 * (s6 - 1.0) + epsilon;
        }
        pull
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        let &[k, r0, epsilon, sigma, delta] = &params[..] else { unreachable!("five numbers, see parse") };
        let squared = sigma * sigma;
        vec![k, 1.0 / (r0 * r0), -0.5 * k * r0 * r0, epsilon, squared, squared * 2f64.cbrt(), delta]
    }

    fn longest(&self, params: &Params) -> f64 {
        2.0 * params[1] + params[4].max(0.0)
    }

    fn broken(&self) -> &'static str {
        "it is longer than 2 R0 + delta"
    }
}
