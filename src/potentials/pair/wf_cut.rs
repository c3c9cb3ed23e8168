//! `pair_style wf/cut CUTOFF`: E = epsilon a [(sigma/r)^(2 mu) - 1] [(cutoff/r)^(2 mu) - 1]^(2 nu) for r < cutoff, with a so that the
//! deepest energy is -epsilon; energy and force end at zero.
//!
//! `pair_coeff I J EPSILON SIGMA NU MU [CUTOFF]`, an energy, a distance and two whole numbers. Unlike types do not mix. LAMMPS
//! manual, pair_style wf/cut; X. Wang, S. Ramirez-Hinestrosa, J. Dobnikar and D. Frenkel, Phys. Chem. Chem. Phys. 22, 10624 (2020).

use super::style::{Params, Style, cutoff_or};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

struct WfCut {
    global: [f64; 1],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(WfCut { global: [args.not_negative("the cutoff distance")?] }))
}

impl Style for WfCut {
    fn name(&self) -> &'static str {
        "wf/cut"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/wf_cut.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let epsilon = args.f64("epsilon (an energy)")?;
        let sigma = args.positive("sigma (a distance)")?;
        let [nu, mu] = [args.count("nu", 1)?, args.count("mu", 1)?].map(|n| n as f64);
        let word = args.peek();
        let cutoff = cutoff_or(args, self.global[0])?;
        match word {
            Some(word) if cutoff <= sigma => Err(args
                .error(word, format_args!("the cutoff {cutoff} is not beyond sigma"))
                .label("expected a larger distance")),
            _ => Ok(vec![epsilon, sigma, nu, mu, cutoff]),
        }
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let [_, sigma, nu, mu, cutoff] = params[..] else { return (0.0, 0.0) };
        let depth = depth(params);
        let (near, far) = ((sigma * sigma / rsq).powf(mu), (cutoff * cutoff / rsq).powf(mu));
        let end = (far - 1.0).max(0.0);
        let force = 2.0 * mu * (near * end + 2.0 * nu * far * (near - 1.0)) / rsq;
        (depth * end.powf(2.0 * nu - 1.0) * force, depth * (near - 1.0) * end.powf(2.0 * nu))
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [_, sigma, nu, mu, cutoff] = params[..] else { return Vec::new() };
        vec![sigma * sigma, cutoff * cutoff, mu, 2.0 * nu, depth(params), shift]
    }
}

/// epsilon a.
fn depth(params: &[f64]) -> f64 {
    let [epsilon, sigma, nu, mu, cutoff] = params[..] else { return 0.0 };
    let ratio = (cutoff / sigma).powf(2.0 * mu);
    let power = 1.0 + 2.0 * nu;
    epsilon * 2.0 * nu * ratio * (power / (2.0 * nu * (ratio - 1.0))).powf(power)
}
