//! `pair_style zero CUTOFF [nocoeff] [full]`: no forces, but a neighbour list.
//!
//! `pair_coeff I J [CUTOFF]`, a distance in the script's units; with `nocoeff` whatever follows the types is left
//! unread. Lists are full with and without `full`. LAMMPS manual, pair_style zero.

use super::style::{Mix, Params, Style, cutoff_or, keywords_follow};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct Zero {
    coefficients: bool,
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let mut style = Zero { coefficients: true, global: [args.not_negative("the cutoff distance")?] };
    while keywords_follow(args) {
        style.coefficients &= args.one_of("keyword", &[("nocoeff", false), ("full", true)])?;
    }
    Ok(Box::new(style))
}

impl Style for Zero {
    fn name(&self) -> &'static str {
        "zero"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/zero.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        if self.coefficients {
            return Ok(vec![cutoff_or(args, self.global[0])?]);
        }
        args.skip_rest();
        Ok(self.global.to_vec())
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![rule.distance(a[0], b[0])])
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, _params: &[f64], shift: f64) -> Vec<f64> {
        vec![shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([0, 0])
    }
}
