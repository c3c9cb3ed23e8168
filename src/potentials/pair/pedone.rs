//! `pair_style pedone CUTOFF`: E = D0 [exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))] + B0/r^12 for r < cutoff: oxides and their
//! glasses, beside Coulomb forces of another style.
//!
//! `pair_coeff I J D0 ALPHA R0 B0 [CUTOFF]`: an energy, an inverse distance, a distance, energy times distance^12, in the script's
//! units. Unlike types do not mix. LAMMPS manual, pair_style pedone; A. Pedone et al., J. Phys. Chem. B 110, 11780 (2006).

use super::morse::force_and_energy;
use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Pedone {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Pedone { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Pedone {
    fn name(&self) -> &'static str {
        "pedone"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/pedone.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["d0", "alpha", "r0", "c0"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let depth = args.f64("D0 (an energy)")?;
        let alpha = args.f64("alpha (an inverse distance)")?;
        let r0 = args.f64("r0 (a distance)")?;
        let core = args.f64("B0 (energy times distance^12)")?;
        Ok(vec![depth, alpha, r0, core, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, core) = (rsq.sqrt(), params[3] / rsq.powi(6));
        let (force, energy) = force_and_energy(params, r);
        (force / r + 12.0 * core / rsq, energy + core)
    }

    /// LAMMPS takes the last term from it, which belongs to it.
    fn shift(&self, params: &[f64]) -> f64 {
        self.evaluate(params, params[4].powi(2)).1 - 2.0 * params[3] / params[4].powi(12)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [depth, alpha, r0, core] = params[..4] else { return Vec::new() };
        vec![2.0 * depth * alpha, depth, alpha, r0, core, shift]
    }
}
