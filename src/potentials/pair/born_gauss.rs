//! `pair_style born/gauss CUTOFF`: E = A0 exp(-alpha r) - A1 exp[-beta (r - r0)^2] for r < cutoff.
//!
//! `pair_coeff I J A0 ALPHA A1 BETA R0 [CUTOFF]`: energies, an inverse distance, an inverse distance squared and distances in the
//! script's units. Unlike types do not mix. LAMMPS 22 Jul 2025 does not heed CUTOFF there. LAMMPS manual, pair_style born/gauss;
//! F. Bomont and J.-L. Bretonnet, J. Chem. Phys. 124, 054504 (2006).

use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct BornGauss {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(BornGauss { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for BornGauss {
    fn name(&self) -> &'static str {
        "born/gauss"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/born_gauss.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["biga0", "", "biga1", "", "r0"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let repulsion = args.f64("A0 (an energy)")?;
        let alpha = args.f64("alpha (an inverse distance)")?;
        let bell = args.f64("A1 (an energy)")?;
        let beta = args.f64("beta (an inverse distance squared)")?;
        let r0 = args.f64("r0 (a distance)")?;
        Ok(vec![repulsion, alpha, bell, beta, r0, cutoff_or(args, self.global[0])?])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [repulsion, alpha, bell, beta, r0] = params[..5] else { return (0.0, 0.0) };
        let (r, dr) = (rsq.sqrt(), rsq.sqrt() - r0);
        let (one, other) = (repulsion * (-alpha * r).exp(), bell * (-beta * dr * dr).exp());
        ((alpha * one - 2.0 * beta * dr * other) / r, one - other)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        params[..5].iter().copied().chain([shift]).collect()
    }
}
