//! `pair_style cosine/squared CUTOFF`: E = -epsilon cos^2[pi (r - sigma) / (2 (cutoff - sigma))] for sigma < r < cutoff and -epsilon below, or
//! with the word `wca` epsilon [(sigma/r)^12 - 2 (sigma/r)^6] there; that plus epsilon alone where cutoff is sigma.
//!
//! `pair_coeff I J EPSILON SIGMA [CUTOFF] [wca]`, energies and distances in the script's units. Unlike types do not mix. LAMMPS
//! manual, pair_style cosine/squared; I. R. Cooke and M. Deserno, J. Chem. Phys. 123, 224710 (2005).

use super::lennard_jones;
use super::style::{Params, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use std::f64::consts::PI;

struct CosineSquared {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(CosineSquared { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for CosineSquared {
    fn name(&self) -> &'static str {
        "cosine/squared"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/cosine_squared.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    /// The last number is 1 with `wca`, else 0; the cutoff stands before it.
    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        let word = args.peek();
        let mut wall = args.accept("wca");
        let mut cutoff = self.global[0];
        if !wall && !args.is_empty() {
            cutoff = args.not_negative("the cutoff distance")?;
            wall = args.accept("wca");
        }
        match word {
            Some(word) if cutoff < sigma || cutoff == sigma && !wall => Err(args
                .error(word, format_args!("the cutoff {cutoff} is not beyond sigma"))
                .label("expected a larger distance")),
            _ => Ok(vec![epsilon, sigma, cutoff, f64::from(u8::from(wall))]),
        }
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        params[2]
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [epsilon, sigma, cutoff, wall] = params[..] else { return (0.0, 0.0) };
        let r = rsq.sqrt();
        if r < sigma {
            let s6 = wall * (sigma / r).powi(6);
            return (12.0 * epsilon * s6 * (s6 - 1.0) / rsq, epsilon * s6 * (s6 - 2.0) + floor(params));
        }
        let width = cutoff - sigma;
        let (sine, cosine) = (PI * (r - sigma) / width).sin_cos();
        (-0.5 * PI * epsilon / width * sine / r, -0.5 * epsilon * (1.0 + cosine))
    }

    /// It ends at zero by itself.
    fn shift(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], _: f64) -> Vec<f64> {
        let [epsilon, sigma, cutoff, wall] = params[..] else { return Vec::new() };
        let inverse = if cutoff > sigma { 1.0 / (cutoff - sigma) } else { 0.0 };
        let s6 = wall * sigma.powi(6);
        let powers = [12.0 * epsilon * s6 * s6, 12.0 * epsilon * s6, epsilon * s6 * s6, 2.0 * epsilon * s6];
        let wave = [sigma, inverse, 0.5 * epsilon, 0.5 * PI * epsilon * inverse];
        [&powers[..], &[floor(params)], &wave].concat()
    }

    fn words<'a>(&self, params: &'a [f64], all: bool) -> Option<&'a [f64]> {
        let cutoff = all || params[2] != self.global[0];
        Some(&params[..2 + usize::from(cutoff)])
    }

    fn last_word(&self, params: &[f64]) -> Option<&'static str> {
        (params[3] > 0.0).then_some("wca")
    }
}

/// What the energy has below sigma besides powers.
fn floor(params: &[f64]) -> f64 {
    let [epsilon, sigma, cutoff, wall] = params[..] else { return 0.0 };
    match (wall > 0.0, cutoff > sigma) {
        (true, true) => 0.0,
        (true, false) => epsilon,
        _ => -epsilon,
    }
}
