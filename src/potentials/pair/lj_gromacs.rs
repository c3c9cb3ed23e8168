//! `pair_style lj/gromacs INNER OUTER`: E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] + S(r) for r < outer. S is a
//! constant up to `inner`, and beyond a polynomial that takes force, its slope and the energy to zero at `outer`.
//!
//! `pair_coeff I J EPSILON SIGMA [INNER OUTER]`, energies and distances in the script's units. LAMMPS manual,
//! pair_style lj/gromacs; GROMACS manual, modified non-bonded interactions.

use super::lennard_jones;
use super::style::{Mix, Params, Style, inner_and_outer};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// What makes S + E, S' + E' and S'' + E'' zero at the outer cutoff, with E of Lennard-Jones.
fn smoothing(params: &[f64]) -> [f64; 3] {
    let [epsilon, sigma, inner, outer] = params[..] else { return [0.0; 3] };
    let s6 = (sigma / outer).powi(6);
    let energy = 4.0 * epsilon * s6 * (s6 - 1.0);
    let slope = -24.0 * epsilon * s6 * (2.0 * s6 - 1.0) / outer;
    let curvature = 24.0 * epsilon * s6 * (26.0 * s6 - 7.0) / outer.powi(2);
    to_zero([energy, slope, curvature], outer - inner)
}

/// A, B and C of S = A/3 t^3 + B/4 t^4 + C that at t takes an energy, its slope and its curvature to zero.
pub(super) fn to_zero([energy, slope, curvature]: [f64; 3], t: f64) -> [f64; 3] {
    [
        (t * curvature - 3.0 * slope) / t.powi(2),
        (2.0 * slope - t * curvature) / t.powi(3),
        -energy + t * slope / 2.0 - t.powi(2) * curvature / 12.0,
    ]
}

struct LjGromacs {
    global: [f64; 2],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(LjGromacs { global: inner_and_outer(args)? }))
}

impl Style for LjGromacs {
    fn name(&self) -> &'static str {
        "lj/gromacs"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_gromacs.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
    }

    fn parameters(&self) -> &'static [&'static str] {
        &["epsilon", "sigma"]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        let [epsilon, sigma] = lennard_jones::epsilon_and_sigma(args)?;
        let [inner, outer] = if args.is_empty() { self.global } else { inner_and_outer(args)? };
        Ok(vec![epsilon, sigma, inner, outer])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(lennard_jones::mix(rule, a, b))
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let (epsilon, s6) = (params[0], params[1].powi(6) / rsq.powi(3));
        let [a, b, c] = smoothing(params);
        let r = rsq.sqrt();
        let t = (r - params[2]).max(0.0);
        let force = 24.0 * epsilon * s6 * (2.0 * s6 - 1.0) / rsq - t * t * (a + b * t) / r;
        (force, 4.0 * epsilon * s6 * (s6 - 1.0) + t.powi(3) * (a / 3.0 + b / 4.0 * t) + c)
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [a, b, c] = smoothing(params);
        [&lennard_jones::coefficients(params)[..], &[params[2], a, b, a / 3.0, b / 4.0, c - shift]].concat()
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([33, 9])
    }
}
