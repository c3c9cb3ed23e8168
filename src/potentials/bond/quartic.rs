//! `bond_style quartic`: E = K (r - rc)^2 (r - rc - b1) (r - rc - b2) + U0 + 4 [1/r^12 - 1/r^6] + 1, the last two terms for r < 2^(1/6);
//! a bond longer than rc breaks for good. The pair force of both atoms is taken away as long as they have a bond.
//!
//! `bond_coeff TYPE K B1 B2 RC U0`: energy per distance^4, distances, an energy, in the script's units. Source: LAMMPS manual,
//! `bond_style quartic`; M. J. Stevens, Macromolecules 34, 2710 (2001).

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Quartic;

impl Style for Quartic {
    fn name(&self) -> &'static str {
        "quartic"
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/quartic.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![
            args.f64("K (energy per distance^4)")?,
            args.f64("the distance b1")?,
            args.f64("the distance b2")?,
            args.positive("the distance rc, beyond which the bond breaks")?,
            args.f64("the energy U0")?,
        ])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let [k, b1, b2, end, base] = params[..] else { return Pull::NONE };
        let r = rsq.sqrt();
        let x = r - end;
        if x > 0.0 {
            return Pull::NONE;
        }
        let (a, b) = (x - b1, x - b2);
        let mut force = if r > 0.0 { -k / r * (x * x * (a + b) + 2.0 * x * a * b) } else { 0.0 };
        let mut energy = k * x * x * a * b + base;
        if rsq < 2.0_f64.cbrt() {
            let s6 = rsq.powi(-3);
            force += 48.0 * s6 * (s6 - 0.5) / rsq;
            energy += 4.0 * s6 * (s6 - 1.0) + 1.0;
        }
        Pull { force, energy, ..Pull::NONE }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    fn longest(&self, params: &Params) -> f64 {
        1.5 * params[3]
    }

    fn breaks_beyond(&self, params: &Params) -> Option<f64> {
        Some(params[3])
    }

    fn breaks(&self) -> bool {
        true
    }
}
