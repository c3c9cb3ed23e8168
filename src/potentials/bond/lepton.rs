//! `bond_style lepton [auto_offset|no_offset]`: an energy that the script gives as an expression of r, the length less r0.
//!
//! `bond_coeff TYPE R0 EXPRESSION`, in the script's units. Of the energy its value at r0 is taken away, unless the style is `no_offset`.
//! LAMMPS manual, bond_style lepton.
//!
//! The parameters are r0 and the steps of the expression ([`crate::script::lepton`]).

use super::{Params, Pull, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::potentials::lepton::{Variable, Written, read, value_and_slope, write};
use crate::script::Args;

pub(super) struct Lepton {
    /// Whether the energy at r0 is 0.
    pub(super) offset: bool,
}

impl Lepton {
    /// What is taken away from energies.
    fn lowered(&self, params: &Params) -> f64 {
        if self.offset { value_and_slope(&params[1..], 0.0)[0] } else { 0.0 }
    }
}

impl Style for Lepton {
    fn name(&self) -> &'static str {
        "lepton"
    }

    fn words(&self) -> String {
        format!("lepton {}", if self.offset { "auto_offset" } else { "no_offset" })
    }

    fn settings(&self, args: &mut Args<'_>) -> Result<Option<&'static dyn Style>> {
        args.accept("auto_offset");
        let without: &'static dyn Style = &Lepton { offset: false };
        Ok(args.accept("no_offset").then_some(without))
    }

    fn coefficient_words(&self, _: &Params) -> Option<String> {
        None
    }

    fn snippet(&self) -> File {
        kernel_file!("bond/lepton.cl")
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        self.parse_formula(args, &|_| Ok(f64::NAN))
    }

    fn parse_formula(&self, args: &mut Args<'_>, variable: Variable<'_>) -> Result<Params> {
        let mut params = vec![args.not_negative("the distance r0")?];
        params.extend(read(args, variable)?);
        Ok(params)
    }

    fn parameters(&self) -> &'static [&'static str] {
        &[]
    }

    fn evaluate(&self, params: &Params, rsq: f64) -> Pull {
        let r = rsq.sqrt();
        let [energy, slope] = value_and_slope(&params[1..], r - params[0]);
        let force = if r > 0.0 { -slope / r } else { 0.0 };
        Pull { force, energy: energy - self.lowered(params), long: false, broken: false }
    }

    fn coefficients(&self, params: &Params) -> Vec<f64> {
        vec![self.lowered(params)]
    }

    fn written(&self, params: &[Option<&Params>]) -> Option<Written> {
        let programs: Vec<_> =
            params.iter().map(|params| params.map(|params| (&params[1..], params[0]))).collect();
        let mut written = write(&programs, "bond_formula", ["real", "__global const real"], 2);
        written.text.push_str(self.snippet().1);
        for (row, params) in written.rows.iter_mut().zip(params) {
            if let Some(params) = params {
                row.insert(0, self.lowered(params));
            }
        }
        Some(written)
    }

    /// As of harmonic bonds: three lengths.
    fn longest(&self, params: &Params) -> f64 {
        3.0 * params[0]
    }
}
