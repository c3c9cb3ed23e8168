//! `pair_style nm/cut CUTOFF`: E = E0/(n - m) [m (r0/r)^n - n (r0/r)^m] for r < cutoff, so that -E0 is at r0.
//!
//! `pair_coeff I J E0 R0 N M [CUTOFF]`, an energy, a distance and two exponents without units. Unlike types do not mix.
//! LAMMPS manual, pair_style nm/cut; J. H. R. Clarke, W. Smith and L. V. Woodcock, J. Chem. Phys. 84, 2290 (1986).

use super::style::{Params, Style, cutoff_or};
use super::tail;
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct NmCut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(with_cutoff(args.not_negative("the cutoff distance")?))
}

/// The style with a cutoff.
pub(super) fn with_cutoff(cutoff: f64) -> Box<dyn Style> {
    Box::new(NmCut { global: [cutoff] })
}

impl Style for NmCut {
    fn name(&self) -> &'static str {
        "nm/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/nm_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let energy = args.f64("E0 (an energy)")?;
        let distance = args.positive("r0")?;
        let n = args.positive("the exponent n")?;
        let word = args.peek();
        let m = args.positive("the exponent m")?;
        match word {
            Some(word) if m == n => Err(args
                .error(word, format_args!("both exponents are {n}"))
                .label("expected another exponent")),
            _ => Ok(vec![energy, distance, n, m, cutoff_or(args, self.global[0])?]),
        }
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [energy, distance, n, m] = params[..4] else { return (0.0, 0.0) };
        let (depth, s) = (energy / (n - m), distance / rsq.sqrt());
        let (up, down) = (s.powf(n), s.powf(m));
        (n * m * depth * (up - down) / rsq, depth * (m * up - n * down))
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [energy, distance, n, m] = params[..4] else { return Vec::new() };
        let depth = energy / (n - m);
        vec![n * m * depth, m * depth, n * depth, distance, n, m, shift]
    }

    fn tail(&self, params: &[f64]) -> Option<(f64, f64)> {
        let [energy, distance, n, m, cutoff] = params[..] else { return None };
        if n.min(m) <= 3.0 {
            return None; // the integral has no limit
        }
        let depth = energy / (n - m);
        tail::sum([
            tail::power(m * depth * distance.powf(n), n, cutoff, 0.0),
            tail::power(-n * depth * distance.powf(m), m, cutoff, 0.0),
        ])
    }
}
