//! `pair_style lj/smooth INNER OUTER`: E = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] up to `inner`; from there to
//! `outer` the force is a polynomial of third degree, joined with its slope at either end.
//!
//! `pair_coeff I J EPSILON SIGMA [INNER OUTER]`, energies and distances in the script's units. LAMMPS manual,
//! pair_style lj/smooth.

use super::lennard_jones;
use super::style::{Mix, Params, Style, inner_and_outer};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// Energy at the inner cutoff, and the coefficients of F = a + b t + c t^2 + d t^3 with t = r - inner, for which
/// F and F' are those of Lennard-Jones at the inner cutoff and zero at the outer one.
fn smoothing(params: &[f64]) -> [f64; 5] {
    let [epsilon, sigma, inner, outer] = params[..] else { return [0.0; 5] };
    let s6 = (sigma / inner).powi(6);
    let a = 24.0 * epsilon * s6 * (2.0 * s6 - 1.0) / inner;
    let b = -24.0 * epsilon * s6 * (26.0 * s6 - 7.0) / inner.powi(2);
    let t = outer - inner;
    let c = -(3.0 * a + 2.0 * b * t) / t.powi(2);
    let d = (2.0 * a + b * t) / t.powi(3);
    [4.0 * epsilon * s6 * (s6 - 1.0), a, b, c, d]
}

struct LjSmooth {
    global: [f64; 2],
}

pub(super) fn new(args: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(LjSmooth { global: inner_and_outer(args)? }))
}

impl Style for LjSmooth {
    fn name(&self) -> &'static str {
        "lj/smooth"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_smooth.cl")
    }

    fn global(&self) -> &[f64] {
        &self.global
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
        let r = rsq.sqrt();
        let t = r - params[2];
        if t < 0.0 {
            return (24.0 * epsilon * s6 * (2.0 * s6 - 1.0) / rsq, 4.0 * epsilon * s6 * (s6 - 1.0));
        }
        let [e, a, b, c, d] = smoothing(params);
        let force = a + t * (b + t * (c + t * d));
        (force / r, e - t * (a + t * (b / 2.0 + t * (c / 3.0 + t * d / 4.0))))
    }

    fn coefficients(&self, params: &[f64], shift: f64) -> Vec<f64> {
        let [e, a, b, c, d] = smoothing(params);
        [&lennard_jones::coefficients(params)[..], &[params[2], a, b, c, d, e, shift]].concat()
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([34, 12])
    }
}
