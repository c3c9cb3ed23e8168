//! `pair_style coul/cut CUTOFF`: E = C q_i q_j / (dielectric r) for r < cutoff.
//!
//! `pair_coeff I J [CUTOFF]`, a distance in the script's units. LAMMPS manual, pair_style coul/cut.

use super::{Mix, Params, Style, cutoff_or};
use crate::error::Result;
use crate::kernels::File;
use crate::script::Args;

struct CoulCut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(CoulCut { global: [args.positive("the cutoff distance")?] }))
}

impl Style for CoulCut {
    fn name(&self) -> &'static str {
        "coul/cut"
    }

    fn snippet(&self) -> File {
        ("pair/coul_cut.cl", include_str!("../../cl/pair/coul_cut.cl"))
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
        vec![0.0]
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, _params: &Params, rsq: f64, lack: f64) -> (f64, f64) {
        let energy = (1.0 - lack) / rsq.sqrt();
        (energy / rsq, energy)
    }
}
