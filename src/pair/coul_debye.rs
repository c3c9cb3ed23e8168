//! `pair_style coul/debye KAPPA CUTOFF`: E = C q_i q_j exp(-kappa r) / (dielectric r) for r < cutoff, charges in an
//! electrolyte; kappa is an inverse distance.
//!
//! `pair_coeff I J [CUTOFF]`, a distance in the script's units. LAMMPS manual, pair_style coul/debye.

use super::{Mix, Params, Style, cutoff_or};
use crate::error::Result;
use crate::kernels::File;
use crate::script::Args;

struct CoulDebye {
    kappa: f64,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let kappa = args.f64("kappa (an inverse distance)")?;
    Ok(Box::new(CoulDebye { kappa, global: [args.positive("the cutoff distance")?] }))
}

impl Style for CoulDebye {
    fn name(&self) -> &'static str {
        "coul/debye"
    }

    fn snippet(&self) -> File {
        ("pair/coul_debye.cl", include_str!("../../cl/pair/coul_debye.cl"))
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![cutoff_or(args, self.global[0])?])
    }

    fn mix(&self, rule: Mix, a: &Params, b: &Params) -> Option<Params> {
        Some(vec![rule.distance(a[0], b[0])])
    }

    fn evaluate(&self, _params: &Params, _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, _params: &Params, _shift: f64) -> Vec<f64> {
        vec![self.kappa]
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, _params: &Params, rsq: f64, lack: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let energy = (1.0 - lack) * (-self.kappa * r).exp() / r;
        (energy * (self.kappa + 1.0 / r) / r, energy)
    }
}
