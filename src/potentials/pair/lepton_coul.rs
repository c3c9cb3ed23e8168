//! `pair_style lepton/coul CUTOFF`: C q_i q_j f(r) / dielectric, of which the script gives f as an expression.
//!
//! `pair_coeff I J EXPRESSION [CUTOFF]` has an expression of the distance `r` and the charges `qi` and `qj`, which must be their product times a
//! function of r: LAMMPS takes any. Unlike types do not mix. The force is the slope, by the rules of differentiation. LAMMPS manual,
//! pair_style lepton.
//!
//! The parameters are the steps of f ([`crate::script::lepton`]) and the cutoff.

use super::pair_params::PairParams;
use super::style::{Params, Style, cutoff_or, keywords_follow};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::potentials::lepton::{Variable, Written, read_per_charges, value_and_slope, write};
use crate::script::Args;

struct LeptonCoul {
    global: [f64; 1],
}

/// Keywords that name a long-range solver, for which the expression may stand in for its near part.
const SOLVERS: [(&str, ()); 5] =
    [("ewald", ()), ("pppm", ()), ("msm", ()), ("dispersion", ()), ("tip4p", ())];

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let global = [args.not_negative("the cutoff distance")?];
    while keywords_follow(args) {
        args.one_of("keyword", &SOLVERS)?;
    }
    Ok(Box::new(LeptonCoul { global }))
}

impl Style for LeptonCoul {
    fn name(&self) -> &'static str {
        "lepton/coul"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lepton_coul.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        self.parse_formula(args, &|_| Ok(f64::NAN))
    }

    fn parse_formula(&self, args: &mut Args<'_>, variable: Variable<'_>) -> Result<Params> {
        let mut params = read_per_charges(args, variable)?;
        params.push(cutoff_or(args, self.global[0])?);
        Ok(params)
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn charged(&self) -> bool {
        true
    }

    fn coulomb(&self, params: &[f64], rsq: f64, lack: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let [energy, slope] = value_and_slope(&params[..params.len() - 1], r);
        (-(1.0 - lack) * slope / r, (1.0 - lack) * energy)
    }

    fn coefficients(&self, _params: &[f64], _shift: f64) -> Vec<f64> {
        vec![0.0]
    }

    fn written(&self, params: &PairParams, _: &dyn Fn(usize) -> f64, place: usize) -> Option<Written> {
        let programs = params.iter().map(|params| params.map(|params| (&params[..params.len() - 1], 0.0)));
        let programs: Vec<_> = programs.collect();
        Some(write(&programs, &format!("charge_formula_{place}"), ["realv", "const realv"], 1))
    }

    fn words<'a>(&self, _params: &'a [f64], _all: bool) -> Option<&'a [f64]> {
        None
    }
}
