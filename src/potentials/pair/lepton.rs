//! `pair_style lepton CUTOFF`: an energy that the script gives as an expression of the distance r.
//!
//! `pair_coeff I J EXPRESSION [CUTOFF]`, in the script's units. Unlike types do not mix. The force is the slope, by the rules of
//! differentiation. LAMMPS manual, pair_style lepton.
//!
//! The parameters are the steps of the expression ([`crate::script::lepton`]) and the cutoff.

use super::pair_params::PairParams;
use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::potentials::lepton::{Variable, Written, read, value_and_slope, write};
use crate::script::Args;

struct Lepton {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(Lepton { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for Lepton {
    fn name(&self) -> &'static str {
        "lepton"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lepton.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        self.parse_formula(args, &|_| Ok(f64::NAN))
    }

    fn parse_formula(&self, args: &mut Args<'_>, variable: Variable<'_>) -> Result<Params> {
        let mut params = read(args, variable)?;
        params.push(cutoff_or(args, self.global[0])?);
        Ok(params)
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let [energy, slope] = value_and_slope(program(params), r);
        (-slope / r, energy)
    }

    fn coefficients(&self, _params: &[f64], shift: f64) -> Vec<f64> {
        vec![shift]
    }

    fn written(&self, params: &PairParams, shift: &dyn Fn(usize) -> f64, place: usize) -> Option<Written> {
        let programs: Vec<_> =
            params.iter().map(|params| params.map(|params| (program(params), 0.0))).collect();
        let mut written = write(&programs, &format!("pair_formula_{place}"), ["realv", "const realv"], 2);
        for (k, row) in written.rows.iter_mut().enumerate() {
            row.insert(0, shift(k));
        }
        Some(written)
    }

    fn words<'a>(&self, _params: &'a [f64], _all: bool) -> Option<&'a [f64]> {
        None
    }
}

/// The steps of the expression.
fn program(params: &[f64]) -> &[f64] {
    &params[..params.len() - 1]
}
