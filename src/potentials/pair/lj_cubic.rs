//! `pair_style lj/cubic`: Lennard-Jones up to the distance s where its force is strongest, beyond it a cubic polynomial that
//! goes on with energy, force and slope of the force there and takes energy and force to zero.
//!
//! `pair_coeff I J EPSILON SIGMA`, energy and distance in the script's units; the cutoff follows from sigma: 67/48 s. LAMMPS
//! manual, pair_style lj/cubic; B. L. Holian, A. F. Voter, R. Ravelo, Phys. Rev. E 52, 2338 (1995).

use super::lennard_jones;
use super::style::{Mix, Params, Style};
use crate::base::error::Result;
use crate::gpu::source::File;
use crate::gpu::source::kernel_file;
use crate::script::Args;

/// The cutoff over s.
const END: f64 = 67.0 / 48.0;

/// (sigma / s)^6, where the second derivative of Lennard-Jones vanishes.
const SIXTH_POWER: f64 = 7.0 / 26.0;

/// The distance s of a sigma.
fn inflection(sigma: f64) -> f64 {
    sigma * SIXTH_POWER.powf(-1.0 / 6.0)
}

/// S and A of E = E(s) + S t - A t^3 / 6 with t = r - s: the slope at s, and what lets energy and slope end at one place.
fn cubic(params: &[f64]) -> [f64; 2] {
    let (force, energy) = lennard_jones::force_and_energy(params[0], SIXTH_POWER);
    let slope = -force / inflection(params[1]);
    // No epsilon, no slope.
    let bend = if energy == 0.0 { 0.0 } else { 8.0 * slope.powi(3) / (9.0 * energy * energy) };
    [slope, bend]
}

struct LjCubic;

pub(super) fn new(_: &mut Args<'_>) -> Result<Box<dyn Style>> {
    Ok(Box::new(LjCubic))
}

impl Style for LjCubic {
    fn name(&self) -> &'static str {
        "lj/cubic"
    }

    fn snippet(&self) -> File {
        kernel_file!("pair/lj_cubic.cl")
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Ok(vec![args.f64("epsilon (an energy)")?, args.positive("sigma (a distance)")?])
    }

    fn mix(&self, rule: Mix, a: &[f64], b: &[f64]) -> Option<Params> {
        Some(lennard_jones::mix(rule, a, b))
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        END * inflection(params[1])
    }

    fn evaluate(&self, params: &[f64], rsq: f64) -> (f64, f64) {
        let r = rsq.sqrt();
        let inner = r.min(inflection(params[1]));
        let [slope, bend] = cubic(params);
        let (force, energy) = lennard_jones::force_and_energy(params[0], (params[1] / inner).powi(6));
        let t = r - inner;
        ((force / inner + 0.5 * bend * t * t) / r, energy + (slope - bend * t * t / 6.0) * t)
    }

    /// It ends at zero by itself.
    fn shift(&self, _: &[f64]) -> f64 {
        0.0
    }

    fn coefficients(&self, params: &[f64], _: f64) -> Vec<f64> {
        let [slope, bend] = cubic(params);
        let cubic = [inflection(params[1]), 0.5 * bend, slope, -bend / 6.0];
        [&lennard_jones::coefficients(params)[..], &cubic].concat()
    }

    fn operations(&self) -> Option<[u32; 2]> {
        Some([41, 7])
    }
}
