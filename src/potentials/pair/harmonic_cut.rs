//! `pair_style harmonic/cut`: E = K (cutoff - r)^2 for r < cutoff.
//!
//! `pair_coeff I J K CUTOFF`: energy per squared distance (the usual 1/2 is in K) and a distance. LAMMPS manual, pair_style
//! harmonic/cut.

use super::style::{Mix, Params, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct HarmonicCut;

pub(super) fn new(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(HarmonicCut))
}

impl Style for HarmonicCut {
    fn name(&self) -> &'static str {
        "harmonic/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/harmonic_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["k"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![args.f64("K (energy per squared distance)")?, args.not_negative("the cutoff distance")?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(vec![rule.energy(a[0], b[0], a[1], b[1]), rule.distance(a[1], b[1])])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (r, short) = (rsq.sqrt(), params[1] - rsq.sqrt());
        // Two atoms on one spot do not know where to go.
        (if r > 0.0 { 2.0 * params[0] * short / r } else { 0.0 }, params[0] * short * short)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        vec![params[0], params[1], shift]
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([23, 2])
    }
}
