//! `bond_style zero [nocoeff]`: bonds without a force, for the special neighbours that they make.
//!
//! `bond_coeff TYPE [R0]`, a distance that nothing depends on; with `nocoeff` whatever follows the type is left unread. LAMMPS
//! manual, bond_style zero.

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

pub(super) struct Zero {
    /// Whether there may be a distance.
    pub(super) coefficients: bool,
}

impl Style for Zero {
    fn name(&self) -> &'static str {
        "zero"
    }

    fn settings(&self, args: &mut Args<'_>) -> Result<Option<&'static dyn Style>> {
        Ok(args.accept("nocoeff").then_some(&Zero { coefficients: false }))
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/zero.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        if self.coefficients {
            return Ok(vec![if args.is_empty() { 0.0 } else { args.f64("the distance r0")? }]);
        }
        args.skip_rest();
        Ok(vec![0.0])
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["r0"]
    }

    fn evaluate(&self, _: &Params, _: f64) -> Pull {
        Pull { force: 0.0, energy: 0.0, long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        params.clone()
    }

    /// Nothing follows from which image of an atom is the nearest.
    fn longest(&self, _: &Params) -> f64 {
        0.0
    }
}
